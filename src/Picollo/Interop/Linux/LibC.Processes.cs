using System.Runtime.InteropServices;

namespace Picollo.Interop.Linux;

/// <content>Processes, their groups and users, and signals.</content>
internal static unsafe partial class LibC
{
    // <linux/resource.h>: which = PRIO_PROCESS takes the ID of one thread.
    public const int PRIO_PROCESS = 0;

    // <asm-generic/signal.h>
    public const int SIGSTOP = 19;
    public const int SIG_BLOCK = 0;
    public const int SIG_SETMASK = 2;

    [LibraryImport(Library, SetLastError = true)]
    public static partial int setpriority(int which, uint who, int priority);

    [LibraryImport(Library)]
    public static partial int getppid();

    [LibraryImport(Library)]
    public static partial int getpgid(int process);

    [LibraryImport(Library)]
    public static partial int getsid(int process);

    [LibraryImport(Library)]
    public static partial uint geteuid();

    [LibraryImport(Library)]
    public static partial int kill(int process, int signal);

    [LibraryImport(Library)]
    public static partial int raise(int signal);

    /// <summary>Returns the error number instead of leaving it.</summary>
    [LibraryImport(Library)]
    public static partial int pthread_sigmask(int how, SigSet* signals, SigSet* before);

    /// <summary>struct passwd is written to <paramref name="passwd"/>, its texts to <paramref name="buffer"/>. Returns the error
    /// number.</summary>
    [LibraryImport(Library)]
    public static partial int getpwuid_r(uint user, byte* passwd, byte* buffer, nuint length, byte** found);

    /// <inheritdoc cref="getpwuid_r"/>
    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int getpwnam_r(string name, byte* passwd, byte* buffer, nuint length, byte** found);

    /// <summary>sigset_t: 128 bytes in glibc and musl, of which the kernel's 64 signals take the first eight.</summary>
    public struct SigSet
    {
        public ulong Signals;
        private fixed ulong _unused[15];
    }
}
