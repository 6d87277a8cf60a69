using System.Runtime.InteropServices;

namespace Picollo.Cli.Shell;

/// <summary>How Linux's terminal driver treats what is typed (termios(3)): as the user has it, or key by key without an echo.</summary>
/// <remarks>Asked of the kernel: System.Console would send the terminal sequences of its own, and has its own mind about what to restore.</remarks>
internal sealed unsafe partial class TerminalMode(int descriptor)
{
    private const uint Signals = 0x1; // ISIG: Ctrl+C and Ctrl+Z do what they do
    private const uint Lines = 0x2; // ICANON
    private const uint Echo = 0x8; // ECHO
    private const int Now = 0; // TCSANOW: what was typed ahead stays
    private const int WhenWritten = 1; // TCSADRAIN

    private Termios _saved;
    private bool _isSaved;

    public static bool IsTerminal(int descriptor) => IsATty(descriptor) == 1;

    /// <summary>From now on each key is there as it is typed. What stood before is kept for <see cref="Restore"/>, unless it already is.</summary>
    public void SetKeys()
    {
        if (!_isSaved)
        {
            _isSaved = GetAttributes(descriptor, out _saved) == 0;
        }

        if (_isSaved)
        {
            Termios keys = _saved;
            keys.LocalFlags = (keys.LocalFlags & ~(Lines | Echo)) | Signals;
            keys.Characters[Termios.Least] = 1;
            keys.Characters[Termios.Time] = 0;
            Set(Now, keys);
        }
    }

    /// <summary>As it was before; unless the shell has the terminal back already, and has set it up for itself.</summary>
    public void Restore()
    {
        if (_isSaved)
        {
            _isSaved = false;
            if (GetForeground(descriptor) == GetGroup())
            {
                Set(WhenWritten, _saved);
            }
        }
    }

    // A background process is stopped here until it is in the foreground again; the call is then made once more.
    private void Set(int when, Termios mode)
    {
        const int Interrupted = 4; // EINTR
        while (SetAttributes(descriptor, when, mode) != 0 && Marshal.GetLastPInvokeError() == Interrupted)
        {
        }
    }

    [LibraryImport("libc", EntryPoint = "isatty")]
    private static partial int IsATty(int descriptor);

    [LibraryImport("libc", EntryPoint = "tcgetpgrp")]
    private static partial int GetForeground(int descriptor);

    [LibraryImport("libc", EntryPoint = "getpgrp")]
    private static partial int GetGroup();

    [LibraryImport("libc", EntryPoint = "tcgetattr")]
    private static partial int GetAttributes(int descriptor, out Termios mode);

    [LibraryImport("libc", EntryPoint = "tcsetattr", SetLastError = true)]
    private static partial int SetAttributes(int descriptor, int when, in Termios mode);

    /// <summary>struct termios of glibc and musl on Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Termios
    {
        public const int Time = 5; // VTIME
        public const int Least = 6; // VMIN

        public uint InputFlags;
        public uint OutputFlags;
        public uint ControlFlags;
        public uint LocalFlags;
        public byte Line;
        public fixed byte Characters[32];
        public uint InputSpeed;
        public uint OutputSpeed;
    }
}
