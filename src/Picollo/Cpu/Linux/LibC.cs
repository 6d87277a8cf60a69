using System.Runtime.InteropServices;

namespace Picollo.Cpu.Linux;

/// <summary>The C library's calls that tell CPU time. Blittable, and without a GC transition: none blocks or takes a
/// microsecond.</summary>
internal static unsafe partial class LibC
{
    // <linux/time.h>, <linux/resource.h>
    public const int ClockProcessCpuTime = 2;
    public const int ClockThreadCpuTime = 3;
    public const int UsageOfSelf = 0;
    public const int UsageOfChildren = -1;
    public const int UsageOfThread = 1;

    private const string Library = "libc";

    [LibraryImport(Library, EntryPoint = "clock_gettime")]
    [SuppressGCTransition]
    public static partial int GetClock(int clockId, TimeSpec* time);

    [LibraryImport(Library, EntryPoint = "getrusage")]
    [SuppressGCTransition]
    public static partial int GetResourceUsage(int who, ResourceUsage* usage);

    [LibraryImport(Library, EntryPoint = "syscall")]
    [SuppressGCTransition]
    public static partial nint SystemCall(nint number);

    /// <summary>struct timespec of 64-bit systems.</summary>
    public struct TimeSpec
    {
        public long Seconds;
        public long Nanoseconds;

        public readonly long TotalNanoseconds => (Seconds * 1_000_000_000) + Nanoseconds;
    }

    /// <summary>struct timeval of 64-bit systems.</summary>
    public struct TimeValue
    {
        public long Seconds;
        public long Microseconds;

        public readonly long TotalNanoseconds => (Seconds * 1_000_000_000) + (Microseconds * 1_000);
    }

    /// <summary>struct rusage of 64-bit systems.</summary>
    public struct ResourceUsage
    {
        private const int BytesPerMaxResident = 1024;

        public TimeValue User;
        public TimeValue Kernel;
        public long MaxResident;
        private fixed long _integralSizes[3]; // of text, data and stack: Linux keeps none
        public long MinorFaults;
        public long MajorFaults;
        private fixed long _swapsBlocksMessagesSignals[6];
        public long VoluntarySwitches;
        public long InvoluntarySwitches;

        public readonly CpuUsage Cpu => new(User.TotalNanoseconds, Kernel.TotalNanoseconds);

        public readonly Picollo.Cpu.ResourceUsage ToUsage() => new()
        {
            Cpu = Cpu,
            MaxResidentBytes = MaxResident * BytesPerMaxResident,
            MinorPageFaults = MinorFaults,
            MajorPageFaults = MajorFaults,
            VoluntaryContextSwitches = VoluntarySwitches,
            InvoluntaryContextSwitches = InvoluntarySwitches,
        };
    }
}
