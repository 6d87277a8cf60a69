namespace Picollo.Interop.Linux;

/// <content>System calls that some C libraries supported by .NET have no function for, such as perf_event_open(2). A number is null on an
/// architecture for which it is not defined here.</content>
internal static unsafe partial class LibC
{
    // Equal on every architecture, like all system calls since Linux 5.1.
    public const int SYS_pidfd_send_signal = 424;
    public const int SYS_pidfd_open = 434;

    public const int SYS_openat2 = 437;

    // <linux/stat.h>
    public const uint STATX_TYPE = 1;
    public const uint STATX_UID = 8;
    public const uint STATX_GID = 0x10;
    public const uint STATX_INO = 0x100;

    /// <summary>gettid(2). glibc has a function for it since 2.30.</summary>
    public static int? SYS_gettid => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 186,
        Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64 => 178,
        _ => null,
    };

    /// <summary>getdents64(2). musl has it under another name.</summary>
    public static readonly int? SYS_getdents64 = RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 or Architecture.Arm => 217,
        Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64 => 61,
        Architecture.X86 or Architecture.S390x => 220,
        Architecture.Ppc64le => 202,
        _ => null,
    };

    /// <summary>statx(2). glibc has a function for it since 2.28.</summary>
    public static readonly int? SYS_statx = RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 332,
        Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64 => 291,
        Architecture.X86 or Architecture.Ppc64le => 383,
        Architecture.S390x => 379,
        Architecture.Arm => 397,
        _ => null,
    };

    /// <summary>perf_event_open(2). No C library has a function for it.</summary>
    public static readonly int? SYS_perf_event_open = RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 298,
        Architecture.Arm64 or Architecture.RiscV64 or Architecture.LoongArch64 => 241,
        Architecture.S390x => 331,
        Architecture.Ppc64le => 319,
        _ => null,
    };

    [LibraryImport(Library), SuppressGCTransition]
    public static partial nint syscall(nint number);

    [LibraryImport(Library, SetLastError = true)]
    public static partial nint syscall(nint number, nint first, nint second, nint third);

    [LibraryImport(Library, SetLastError = true)]
    public static partial nint syscall(nint number, nint first, nint second, nint third, nint fourth, nint fifth);

    /// <summary>Gets the status of a file with <c>statx(2)</c>. Returns 0; or -1, with the last error set. The path is zero-terminated and
    /// relative to the directory. With <see cref="AT_EMPTY_PATH"/>, an empty path means the directory itself.</summary>
    public static int statx(int directory, byte* path, int flags, out FileStatus status)
    {
        status = default;
        if (SYS_statx is not { } number)
        {
            Marshal.SetLastPInvokeError(Errno.ENOSYS);
            return -1;
        }

        fixed (FileStatus* result = &status)
        {
            return (int)syscall(
                number, directory, (nint)path, flags, (nint)(STATX_TYPE | STATX_UID | STATX_GID | STATX_INO), (nint)result);
        }
    }

    /// <summary>The used fields of struct statx, which has one layout on every architecture.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    public struct FileStatus
    {
        [FieldOffset(20)]
        public uint User;

        [FieldOffset(24)]
        public uint Group;

        [FieldOffset(28)]
        public ushort Mode;

        [FieldOffset(32)]
        public ulong Inode;

        /// <summary>stx_dev_major and stx_dev_minor.</summary>
        [FieldOffset(136)]
        public ulong Device;

        public readonly bool IsRegular => (Mode & 0xF000) == 0x8000; // S_IFMT, S_IFREG

        public readonly bool IsSocket => (Mode & 0xF000) == 0xC000; // S_IFSOCK
    }

    // <linux/perf_event.h>
    public const nuint PERF_EVENT_IOC_ENABLE = 0x2400;
    public const nuint PERF_EVENT_IOC_DISABLE = 0x2401;
    public const nuint PERF_EVENT_IOC_SET_OUTPUT = 0x2405;
    public const nuint PERF_IOC_FLAG_GROUP = 1;
    public const nuint PERF_FLAG_FD_CLOEXEC = 8;

    /// <summary>Opens a counter and returns its file; or -1, with the last error set. A thread of 0 is the calling thread, -1 all threads
    /// on the CPU. A CPU of -1 is any CPU. <paramref name="group"/> is the file of the group's leader, or -1.</summary>
    public static int perf_event_open(void* attributes, int thread, int cpu, int group, nuint flags)
    {
        if (SYS_perf_event_open is not { } number)
        {
            Marshal.SetLastPInvokeError(Errno.ENOSYS);
            return -1;
        }

        return (int)syscall(number, (nint)attributes, thread, cpu, group, (nint)flags);
    }

    /// <summary>read(2) without a GC transition, for a thread that reads its own counters: this does not block and takes less than a
    /// microsecond. (Reading the counters of another CPU interrupts that CPU, and reading inherited counters takes a lock.)</summary>
    [LibraryImport(Library, EntryPoint = "read"), SuppressGCTransition]
    public static partial nint read_counter(int file, void* buffer, nuint length);
}
