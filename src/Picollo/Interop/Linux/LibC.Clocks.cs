namespace Picollo.Interop.Linux;

/// <content>Clocks and CPU time.</content>
internal static unsafe partial class LibC
{
    // <linux/time.h>
    public const int CLOCK_MONOTONIC = 1;
    public const int CLOCK_PROCESS_CPUTIME_ID = 2;
    public const int CLOCK_THREAD_CPUTIME_ID = 3;
    public const int CLOCK_BOOTTIME = 7;
    public const int TIMER_ABSTIME = 1;

    // <linux/resource.h>
    public const int RUSAGE_SELF = 0;
    public const int RUSAGE_CHILDREN = -1;
    public const int RUSAGE_THREAD = 1;

    [LibraryImport(Library), SuppressGCTransition]
    public static partial int clock_gettime(int clock, Timespec* time);

    /// <summary>Sleeps until a time of a clock. Returns the error number; does not set errno.</summary>
    [LibraryImport(Library)]
    public static partial int clock_nanosleep(int clock, int flags, Timespec* until, Timespec* left);

    [LibraryImport(Library), SuppressGCTransition]
    public static partial int getrusage(int who, Rusage* usage);

    /// <summary>struct timespec of 64-bit systems.</summary>
    public struct Timespec
    {
        public long Seconds;
        public long Nanoseconds;

        public readonly long TotalNanoseconds => (Seconds * 1_000_000_000) + Nanoseconds;
    }

    /// <summary>struct timeval of 64-bit systems.</summary>
    public struct Timeval
    {
        public long Seconds;
        public long Microseconds;

        public readonly long TotalNanoseconds => (Seconds * 1_000_000_000) + (Microseconds * 1_000);
    }

    /// <summary>struct rusage of 64-bit systems.</summary>
    public struct Rusage
    {
        public Timeval User;
        public Timeval Kernel;
        public long MaxResidentKibibytes;
        private fixed long _integralSizes[3]; // text, data and stack; not maintained by Linux
        public long MinorFaults;
        public long MajorFaults;
        private fixed long _swaps[1];
        public long BlockInputs;
        public long BlockOutputs;
        private fixed long _messages[2];
        public long Signals;
        public long VoluntarySwitches;
        public long InvoluntarySwitches;
    }
}
