using System.Runtime.InteropServices;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>New memory. Each first access to a page is a fault. Transparent huge pages would merge many into one, so the memory does not
/// use them.</summary>
internal static unsafe partial class FreshPages
{
    private const int ReadWrite = 3, PrivateAnonymous = 0x22, NoHugePages = 15; // <sys/mman.h>

    public static void Touch(int count)
    {
        nuint length = (nuint)(count * Environment.SystemPageSize);
        nint memory = Map(0, length, ReadWrite, PrivateAnonymous, -1, 0);
        memory.Should().NotBe(-1);
        _ = Advise(memory, length, NoHugePages); // refused by a kernel without huge pages
        for (int i = 0; i < count; i++)
        {
            ((byte*)memory)[i * Environment.SystemPageSize] = 1;
        }

        _ = Unmap(memory, length);
    }

    [LibraryImport("libc", EntryPoint = "mmap")]
    private static partial nint Map(nint address, nuint length, int protection, int flags, int file, nint offset);

    [LibraryImport("libc", EntryPoint = "madvise")]
    private static partial int Advise(nint address, nuint length, int advice);

    [LibraryImport("libc", EntryPoint = "munmap")]
    private static partial int Unmap(nint address, nuint length);
}
