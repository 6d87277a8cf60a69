namespace Picollo.Interop.Linux;

/// <content>Processes and threads: groups, users, signals, scheduling; starting a program and waiting for it. The posix_spawn functions
/// return the error number and do not set errno.</content>
internal static unsafe partial class LibC
{
    // <linux/resource.h>: with which = PRIO_PROCESS, who is the ID of one thread.
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

    [LibraryImport(Library, SetLastError = true)]
    public static partial int kill(int process, int signal);

    [LibraryImport(Library)]
    public static partial int raise(int signal);

    /// <summary>Changes the signal mask of the thread. Returns the error number; does not set errno.</summary>
    [LibraryImport(Library)]
    public static partial int pthread_sigmask(int how, SigSet* signals, SigSet* before);

    /// <summary>Writes struct passwd to <paramref name="passwd"/> and its strings to <paramref name="buffer"/>. Returns the error
    /// number.</summary>
    [LibraryImport(Library)]
    public static partial int getpwuid_r(uint user, byte* passwd, byte* buffer, nuint length, byte** found);

    /// <inheritdoc cref="getpwuid_r"/>
    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int getpwnam_r(string name, byte* passwd, byte* buffer, nuint length, byte** found);

    /// <summary>sigset_t: 128 bytes in glibc and musl. The kernel's 64 signals are in the first eight bytes.</summary>
    public struct SigSet
    {
        public ulong Signals;
        private fixed ulong _unused[15];
    }

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int posix_spawn(
        int* process, string path, SpawnFileActions* actions, void* attributes, byte** arguments, byte** environment);

    [LibraryImport(Library)]
    public static partial int posix_spawn_file_actions_init(SpawnFileActions* actions);

    [LibraryImport(Library)]
    public static partial int posix_spawn_file_actions_adddup2(SpawnFileActions* actions, int from, int to);

    [LibraryImport(Library)]
    public static partial int posix_spawn_file_actions_destroy(SpawnFileActions* actions);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int waitpid(int process, int* status, int options);

    /// <summary>posix_spawn_file_actions_t: 80 bytes in glibc and musl.</summary>
    public struct SpawnFileActions
    {
        private fixed long _opaque[32];
    }

    // <linux/sched.h>
    public const int SCHED_FIFO = 1;
    public const int SCHED_RESET_ON_FORK = 0x40000000;

    // <linux/prctl.h>
    public const int PR_SET_TIMERSLACK = 29;

    [LibraryImport(Library, SetLastError = true)]
    public static partial int sched_getaffinity(int thread, nuint bytes, ulong* mask);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int sched_setaffinity(int thread, nuint bytes, ulong* mask);

    [LibraryImport(Library), SuppressGCTransition]
    public static partial int sched_getcpu();

    [LibraryImport(Library)]
    public static partial nint pthread_self();

    /// <summary>Sets the scheduling policy of a thread. Returns the error number; does not set errno. It is used because
    /// sched_setscheduler(2) always fails in musl.</summary>
    [LibraryImport(Library)]
    public static partial int pthread_setschedparam(nint thread, int policy, int* priority);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int prctl(int option, nuint argument, nuint unused3, nuint unused4, nuint unused5);
}
