using System.Runtime.InteropServices;

namespace Picollo.Commands.Linux;

/// <summary>The C library's calls that start a program and talk to it by pipes.</summary>
internal static unsafe partial class LibC
{
    // <linux/memfd.h>, <asm-generic/fcntl.h>
    public const uint MemoryCloseOnExec = 1;
    public const uint MemoryExecutable = 0x10;
    public const int CloseOnExec = 0x80000;
    public const int DuplicateCloseOnExec = 1030;

    public const int Interrupted = 4; // EINTR

    public const int BlockSignals = 0; // SIG_BLOCK
    public const int SetSignalMask = 2; // SIG_SETMASK

    /// <summary>SIGHUP, SIGINT, SIGQUIT and SIGTERM, a bit each from signal 1 on.</summary>
    public const ulong EndingSignals = (1UL << 0) | (1UL << 1) | (1UL << 2) | (1UL << 14);

    private const string Library = "libc";

    // 80 bytes in glibc and musl.
    public struct FileActions
    {
        private fixed long _opaque[32];
    }

    // 128 bytes in glibc and musl, of which the kernel's 64 signals take the first eight.
    public struct SignalSet
    {
        public ulong Signals;
        private fixed ulong _unused[15];
    }

    [LibraryImport(Library, EntryPoint = "memfd_create", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int CreateMemoryFile(string name, uint flags);

    [LibraryImport(Library, EntryPoint = "pipe2", SetLastError = true)]
    public static partial int Pipe(int* ends, int flags);

    [LibraryImport(Library, EntryPoint = "fcntl", SetLastError = true)]
    public static partial int Control(int file, int command, int argument);

    [LibraryImport(Library, EntryPoint = "read", SetLastError = true)]
    public static partial nint Read(int file, void* buffer, nint length);

    [LibraryImport(Library, EntryPoint = "write", SetLastError = true)]
    public static partial nint Write(int file, void* buffer, nint length);

    [LibraryImport(Library, EntryPoint = "waitpid", SetLastError = true)]
    public static partial int Wait(int process, int* status, int options);

    // These give the error instead of leaving it.
    [LibraryImport(Library, EntryPoint = "pthread_sigmask")]
    public static partial int ChangeSignalMask(int how, SignalSet* signals, SignalSet* before);

    [LibraryImport(Library, EntryPoint = "posix_spawn", StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Spawn(int* process, string path, FileActions* actions, void* attributes, byte** arguments, byte** environment);

    [LibraryImport(Library, EntryPoint = "posix_spawn_file_actions_init")]
    public static partial int InitializeActions(FileActions* actions);

    [LibraryImport(Library, EntryPoint = "posix_spawn_file_actions_adddup2")]
    public static partial int AddDuplication(FileActions* actions, int from, int to);

    [LibraryImport(Library, EntryPoint = "posix_spawn_file_actions_destroy")]
    public static partial int DestroyActions(FileActions* actions);
}
