using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

/// <summary>The size of the terminal on standard output.</summary>
internal static class WindowSize
{
    /// <summary>Null where it is not known. On Linux asked of the kernel: <see cref="Console.WindowWidth"/> first sends the terminal
    /// sequences that set up its keypad, also where the user wants none.</summary>
    public static int? Columns
    {
        get
        {
            if (OperatingSystem.IsLinux())
            {
                return Read() is { Columns: > 0 } size ? size.Columns : null;
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
        OperatingSystem.IsLinux() && Read() is { Columns: > 0, Rows: > 0 } size ? (size.Columns, size.Rows) : null;

    private static unsafe LibC.Winsize? Read()
    {
        LibC.Winsize size;
        return LibC.ioctl(StandardDescriptor.Output, LibC.TIOCGWINSZ, &size) == 0 ? size : null;
    }
}
