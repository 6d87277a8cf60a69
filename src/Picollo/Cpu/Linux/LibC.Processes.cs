using System.Runtime.InteropServices;

namespace Picollo.Cpu.Linux;

/// <content>The C library's calls that change other processes.</content>
internal static unsafe partial class LibC
{
    public const short PollIn = 1; // POLLIN of <asm-generic/poll.h>
    public const int PriorityOfThread = 0; // PRIO_PROCESS of <linux/resource.h>, which is of one thread

    /// <summary>struct pollfd.</summary>
    public struct PolledFile
    {
        public int File;
        public short Events;
        public short Returned;
    }

    [LibraryImport(Library, EntryPoint = "poll", SetLastError = true)]
    public static partial int Poll(PolledFile* files, nuint count, int timeoutMilliseconds);

    [LibraryImport(Library, EntryPoint = "setpriority", SetLastError = true)]
    public static partial int SetPriority(int which, uint who, int priority);
}
