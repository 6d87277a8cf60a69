using System.Runtime.InteropServices;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

/// <summary>How Linux's terminal driver treats what is typed (termios(3)): as the user has it, or key by key without an echo.</summary>
/// <remarks>Asked of the kernel: System.Console would send the terminal sequences of its own, and has its own mind about what to
/// restore.</remarks>
internal sealed unsafe class TerminalMode(int descriptor)
{
    private LibC.Termios _saved;
    private bool _isSaved;

    public static bool IsTerminal(int descriptor) => LibC.isatty(descriptor) == 1;

    /// <summary>From now on each key is there as it is typed. What stood before is kept for <see cref="Restore"/>, unless it already
    /// is.</summary>
    public void SetKeys()
    {
        if (!_isSaved)
        {
            fixed (LibC.Termios* saved = &_saved)
            {
                _isSaved = LibC.tcgetattr(descriptor, saved) == 0;
            }
        }

        if (_isSaved)
        {
            LibC.Termios keys = _saved;
            keys.LocalFlags = (keys.LocalFlags & ~(LibC.ICANON | LibC.ECHO)) | LibC.ISIG; // Ctrl+C and Ctrl+Z do what they do
            keys.Characters[LibC.VMIN] = 1;
            keys.Characters[LibC.VTIME] = 0;
            Set(LibC.TCSANOW, keys); // what was typed ahead stays
        }
    }

    /// <summary>As it was before; unless the shell has the terminal back already, and has set it up for itself.</summary>
    public void Restore()
    {
        if (_isSaved)
        {
            _isSaved = false;
            if (LibC.tcgetpgrp(descriptor) == LibC.getpgid(0))
            {
                Set(LibC.TCSADRAIN, _saved);
            }
        }
    }

    // A background process is stopped here until it is in the foreground again; the call is then made once more.
    private void Set(int when, LibC.Termios mode)
    {
        while (LibC.tcsetattr(descriptor, when, &mode) != 0 && Marshal.GetLastPInvokeError() == Errno.EINTR)
        {
        }
    }
}
