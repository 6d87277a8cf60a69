using System.Runtime.InteropServices;

namespace Picollo.Interop.Linux;

/// <content>Mapped and locked memory.</content>
internal static unsafe partial class LibC
{
    // <asm-generic/mman-common.h>, <asm-generic/mman.h>
    public const int PROT_READ = 1;
    public const int PROT_WRITE = 2;
    public const int MAP_SHARED = 1;
    public const int MAP_PRIVATE = 2;
    public const int MAP_ANONYMOUS = 0x20;

    /// <summary>What <see cref="mmap"/> returns where it fails.</summary>
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
