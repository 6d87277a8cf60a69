namespace Picollo.Interop.Linux;

/// <content>Files, directories, pipes, and mapped or locked memory. The functions have a GC transition, because they may block.</content>
internal static unsafe partial class LibC
{
    // <linux/fcntl.h>
    public const int AT_FDCWD = -100;
    public const int AT_SYMLINK_NOFOLLOW = 0x100;
    public const int AT_EMPTY_PATH = 0x1000;

    // <linux/openat2.h>
    public const ulong RESOLVE_NO_MAGICLINKS = 2;
    public const ulong RESOLVE_IN_ROOT = 0x10;

    // <asm-generic/fcntl.h>
    public const int O_RDONLY = 0;
    public const int O_WRONLY = 1;
    public const int O_CREAT = 0x40;
    public const int O_EXCL = 0x80;
    public const int O_NONBLOCK = 0x800;
    public const int O_CLOEXEC = 0x80000;
    public const int O_PATH = 0x200000;
    public const int F_GETFD = 1;
    public const int FD_CLOEXEC = 1;
    public const int F_DUPFD_CLOEXEC = 1030;

    // <linux/fs.h>
    public const int SEEK_SET = 0;
    public const int SEEK_CUR = 1;

    // <asm-generic/poll.h>
    public const short POLLIN = 1;

    // <linux/memfd.h>
    public const uint MFD_CLOEXEC = 1;
    public const uint MFD_EXEC = 0x10;

    // <asm/fcntl.h>: these values depend on the architecture.
    public static readonly int O_DIRECTORY = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 0x4000 : 0x10000;
    public static readonly int O_NOFOLLOW = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 0x8000 : 0x20000;

    [LibraryImport(Library, SetLastError = true)]
    public static partial int openat(int directory, byte* path, int flags);

    [LibraryImport(Library, SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int openat(int directory, string path, int flags, int mode = 0);

    [LibraryImport(Library, SetLastError = true)]
    public static partial nint read(int file, void* buffer, nint length);

    [LibraryImport(Library, SetLastError = true)]
    public static partial nint pread(int file, void* buffer, nint length, long offset);

    [LibraryImport(Library, SetLastError = true)]
    public static partial nint write(int file, void* buffer, nint length);

    [LibraryImport(Library, SetLastError = true)]
    public static partial long lseek(int file, long offset, int origin);

    [LibraryImport(Library)]
    public static partial int close(int file);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int fcntl(int file, int command, int argument);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int fchown(int file, uint user, uint group);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int pipe2(int* ends, int flags);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int poll(PollFd* files, nuint count, int timeoutMilliseconds);

    [LibraryImport(Library, SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int memfd_create(string name, uint flags);

    [LibraryImport(Library, SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int mkdir(string path, int mode);

    [LibraryImport(Library, SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int unlinkat(int directory, string path, int flags);

    [LibraryImport(Library, SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int renameat(int fromDirectory, string from, int toDirectory, string to);

    /// <summary>struct pollfd.</summary>
    public struct PollFd
    {
        public int File;
        public short Events;
        public short Returned;
    }

    // <asm-generic/mman-common.h>, <asm-generic/mman.h>
    public const int PROT_READ = 1;
    public const int PROT_WRITE = 2;
    public const int MAP_SHARED = 1;
    public const int MAP_PRIVATE = 2;
    public const int MAP_ANONYMOUS = 0x20;

    /// <summary>The result of <see cref="mmap"/> on failure.</summary>
    public const nint MAP_FAILED = -1;

    [LibraryImport(Library, SetLastError = true)]
    public static partial nint mmap(nint address, nuint length, int protection, int flags, int file, nint offset);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int munmap(nint address, nuint length);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int mlock(nint address, nuint length);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int munlock(nint address, nuint length);
}
