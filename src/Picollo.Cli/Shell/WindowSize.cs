using System.Runtime.InteropServices;

namespace Picollo.Cli.Shell;

/// <summary>The size of the terminal on standard output.</summary>
internal static partial class WindowSize
{
    private const nuint GetWindowSize = 0x5413; // TIOCGWINSZ on Linux

    /// <summary>Null where it is not known. On Linux asked of the kernel: <see cref="Console.WindowWidth"/> first sends the terminal sequences that
    /// set up its keypad, also where the user wants none.</summary>
    public static int? Columns
    {
        get
        {
            if (OperatingSystem.IsLinux())
            {
                return Ioctl(StandardDescriptor.Output, GetWindowSize, out Size size) == 0 && size.Columns > 0 ? size.Columns : null;
            }

            try
            {
                return Console.WindowWidth;
            }
            catch (IOException)
            {
                return null;
            }
        }
    }

    /// <summary>Columns and rows; null where they are not known. Linux.</summary>
    public static (int Columns, int Rows)? Current =>
        OperatingSystem.IsLinux() && Ioctl(StandardDescriptor.Output, GetWindowSize, out Size size) == 0 && size is { Columns: > 0, Rows: > 0 }
            ? (size.Columns, size.Rows) : null;

    [LibraryImport("libc", EntryPoint = "ioctl")]
    private static partial int Ioctl(int descriptor, nuint request, out Size size);

    [StructLayout(LayoutKind.Sequential)]
    private struct Size
    {
        public ushort Rows;
        public ushort Columns;
        public ushort Width;
        public ushort Height;
    }
}
