using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>Reads CPU time with <c>clock_gettime(2)</c>, <c>getrusage(2)</c> and, for the split of other threads and processes,
/// <c>/proc</c>.</summary>
/// <remarks><c>getrusage</c> alone is behind by up to a scheduler tick (4 ms at 250 Hz), because it reports the time that the kernel has
/// accounted. Reading the clock of the thread first makes the kernel account the running time slice; then the two agree to the microsecond.
/// User and kernel time both come from <c>getrusage</c>, which keeps each of them monotonic. Computing user time as clock minus kernel time
/// was tried; it decreased in half of the reads.</remarks>
internal sealed unsafe class LinuxCpuTimes : ICpuTimes
{
    private const int PathLength = 64; // "/proc/self/task/<tid>/stat"

    /// <summary>PID_MAX_LIMIT of include/linux/threads.h. All IDs are below it. A larger ID would not fit into the number of a clock, and
    /// would select another clock.</summary>
    private const int IdLimit = 1 << 22;

    /// <summary>Whether an ID in /proc and the same ID in the number of a clock refer to different processes.</summary>
    private readonly bool _isProcForeign;

    /// <summary>The error number of reading the time of the current thread; null if it can be read.</summary>
    private readonly int? _threadError;

    public LinuxCpuTimes()
        : this(LinuxTasks.OwnIdIn("/proc"))
    {
    }

    /// <param name="ownIdInProc">The ID of this process in /proc; null if it is unknown.</param>
    internal LinuxCpuTimes(int? ownIdInProc)
    {
        _isProcForeign = ownIdInProc is { } id && id != Environment.ProcessId;
        if (!TryGetThread(out _, out _))
        {
            _threadError = Marshal.GetLastSystemError();
        }
    }

    public MeasurementUnavailableException? ThreadFailure =>
        _threadError is { } error ? LinuxResourceUsage.Refused(ResourceOwner.Thread, error) : null;

    // Null if the call is refused, for example by a seccomp filter.
    public long? ThreadId => CurrentThreadId;

    /// <summary>gettid(2) of the calling thread; null if the call is refused or its number is unknown.</summary>
    public static long? CurrentThreadId => LibC.SYS_gettid is { } number && LibC.syscall(number) is > 0 and var id ? id : null;

    public bool TryGetThread(out long totalNanoseconds) => TryGetClock(LibC.CLOCK_THREAD_CPUTIME_ID, out totalNanoseconds);

    public bool TryGetThread(out long totalNanoseconds, out CpuUsage split)
    {
        // The order matters: see the remarks on the class.
        bool accounted = TryGetClock(LibC.CLOCK_THREAD_CPUTIME_ID, out totalNanoseconds);
        bool isSplit = LinuxResourceUsage.TryRead(LibC.RUSAGE_THREAD, out LibC.Rusage usage);
        split = LinuxResourceUsage.ToCpuUsage(usage);
        return isSplit && accounted;
    }

    public ThreadRunQueue? TryOpenRunQueue(out string? reason) => LinuxThreadRunQueue.TryOpen(out reason);

    public bool TryGetTotal(
        ResourceOwner owner, long id, out long totalNanoseconds, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        totalNanoseconds = 0;
        if (owner == ResourceOwner.Children)
        {
            bool isSplit = TryGetSplit(owner, id, out CpuUsage split, out failure);
            totalNanoseconds = split.TotalNanoseconds;
            return isSplit;
        }

        // The kernel accepts the ID of the calling thread as that of its process, but not the ID of any other thread.
        bool exists = id < IdLimit && (id == 0 || owner == ResourceOwner.Thread || id == Environment.ProcessId || id != ThreadId);
        int clock = owner == ResourceOwner.Thread ? ThreadClock((int)id)
            : id == 0 ? LibC.CLOCK_PROCESS_CPUTIME_ID
            : ProcessClock((int)id);
        bool known = exists && TryGetClock(clock, out totalNanoseconds);
        int? error = !known && exists ? Marshal.GetLastSystemError() : null;
        failure = known ? null
            : owner == ResourceOwner.Thread ? CpuTimeReasons.NoThread(id, error)
            : id != 0 ? CpuTimeReasons.NoProcess((int)id, error)
            : new("The kernel refused clock_gettime(CLOCK_PROCESS_CPUTIME_ID), probably because of a seccomp filter. Allow the call.",
                MeasurementUnavailableCause.SeccompFilter, error);
        return known;
    }

    public bool TryGetSplit(
        ResourceOwner owner, long id, out CpuUsage split, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        if (id == 0 || id == (owner == ResourceOwner.Thread ? ThreadId : Environment.ProcessId))
        {
            bool known = LinuxResourceUsage.TryGet(owner, out ResourceUsage usage, out failure);
            split = usage.Cpu;
            return known;
        }

        // Reads the clock first: it shows whether the thread or process exists (/proc also accepts the IDs of threads), and makes the
        // kernel account the running time slice.
        split = default;
        if (!TryGetTotal(owner, id, out long total, out failure))
        {
            return false;
        }

        var path = new PathBuffer(stackalloc byte[PathLength]);
        path.Append(owner == ResourceOwner.Thread ? "/proc/self/task/"u8 : "/proc/"u8);
        path.Append((int)id);
        path.Append("/stat"u8);
        if (!_isProcForeign
            && ProcTaskStat.TryRead(path.Terminated, stackalloc byte[ProcTaskStat.MaxLength], out ProcTaskStat stat))
        {
            // The file has both in whole ticks of 10 ms, truncated. The clock gives the total, and the file gives the kernel part.
            long kernel = Math.Min(stat.Usage.KernelNanoseconds, total);
            split = new CpuUsage(total - kernel, kernel);
            return true;
        }

        string kind = owner == ResourceOwner.Thread ? "thread" : "process";
        string cannot = $"The user and kernel time of {kind} {id} cannot be read; only its total can. ";
        failure = _isProcForeign
            ? new(cannot + LinuxReasons.OtherNamespace, MeasurementUnavailableCause.NotSupported)
            : LinuxReasons.NotRead(
                "It has just ended, it is hidden (hidepid), or /proc is not mounted.", MeasurementUnavailableCause.Unknown, cannot);
        return false;
    }

    public bool TryGetResources(
        ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure) =>
        LinuxResourceUsage.TryGet(owner, out usage, out failure);

    // include/linux/posix-timers_types.h: the complement of the ID, then "per thread" (4), then the scheduler's clock (2).
    internal static int ProcessClock(int processId) => (~processId << 3) | 2;

    private static int ThreadClock(int threadId) => (~threadId << 3) | 4 | 2;

    internal static bool TryGetClock(int clockId, out long nanoseconds)
    {
        LibC.Timespec time = default;
        bool known = LibC.clock_gettime(clockId, &time) == 0;
        nanoseconds = time.TotalNanoseconds;
        return known;
    }
}

/// <summary>Calls <c>getrusage(2)</c>, which returns user and kernel time and the other counters of a thread or process.</summary>
internal static unsafe class LinuxResourceUsage
{
    private const int BytesPerKibibyte = 1024;

    public static bool TryGet(
        ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        // Reads the clock first: see the remarks on LinuxCpuTimes.
        bool accounted = owner != ResourceOwner.Thread || LinuxCpuTimes.TryGetClock(LibC.CLOCK_THREAD_CPUTIME_ID, out _);
        int who = owner switch
        {
            ResourceOwner.Thread => LibC.RUSAGE_THREAD,
            ResourceOwner.Process => LibC.RUSAGE_SELF,
            _ => LibC.RUSAGE_CHILDREN,
        };
        bool known = TryRead(who, out LibC.Rusage read) && accounted;
        failure = known ? null : Refused(owner, Marshal.GetLastSystemError());
        usage = known ? ToUsage(read) : default;
        return known;
    }

    /// <summary>Calls getrusage(2) with one of LibC.RUSAGE_…; all fields are 0 on failure.</summary>
    public static bool TryRead(int who, out LibC.Rusage usage)
    {
        LibC.Rusage read = default;
        bool known = LibC.getrusage(who, &read) == 0;
        usage = read;
        return known;
    }

    public static CpuUsage ToCpuUsage(in LibC.Rusage usage) => new(usage.User.TotalNanoseconds, usage.Kernel.TotalNanoseconds);

    public static ResourceUsage ToUsage(in LibC.Rusage usage) => new()
    {
        Cpu = ToCpuUsage(usage),
        MaxResidentBytes = usage.MaxResidentKibibytes * BytesPerKibibyte,
        MinorPageFaults = usage.MinorFaults,
        MajorPageFaults = usage.MajorFaults,
        BlockInputOperations = usage.BlockInputs,
        BlockOutputOperations = usage.BlockOutputs,
        VoluntaryContextSwitches = usage.VoluntarySwitches,
        InvoluntaryContextSwitches = usage.InvoluntarySwitches,
    };

    public static MeasurementUnavailableException Refused(ResourceOwner owner, int error) => new(
        owner switch
        {
            ResourceOwner.Thread =>
                "The kernel refused clock_gettime(CLOCK_THREAD_CPUTIME_ID) or getrusage(RUSAGE_THREAD), probably because "
                + "of a seccomp filter. Allow both.",
            ResourceOwner.Process => "The kernel refused getrusage(RUSAGE_SELF), probably because of a seccomp filter. Allow the call.",
            _ => "The kernel refused getrusage(RUSAGE_CHILDREN), probably because of a seccomp filter. Allow the call.",
        },
        MeasurementUnavailableCause.SeccompFilter,
        error);
}
