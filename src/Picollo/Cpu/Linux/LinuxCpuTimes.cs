using System.Diagnostics.CodeAnalysis;
using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>CPU time by <c>clock_gettime(2)</c>, <c>getrusage(2)</c> and, for the split of other threads and processes,
/// <c>/proc</c>.</summary>
/// <remarks><c>getrusage</c> alone is behind by up to a scheduler tick (4 ms at 250 Hz): it reports what the kernel has accounted. Reading
/// the thread's clock first makes the kernel account the slice that is running, and the two then agree to the microsecond. User and kernel
/// time both come from <c>getrusage</c>, which keeps each of them monotone; user time taken as the clock less kernel time was tried and
/// went back in half of the reads.</remarks>
internal sealed unsafe class LinuxCpuTimes : ICpuTimes
{
    private const int PathLength = 64; // "/proc/self/task/<tid>/stat"

    /// <summary>PID_MAX_LIMIT of include/linux/threads.h: no id is as high, and a clock's number has no room for all 32
    /// bits of one; it would be another clock's.</summary>
    private const int IdLimit = 1 << 22;

    /// <summary>Whether the files of /proc are of other processes than clocks with the same ids.</summary>
    private readonly bool _isProcForeign;

    public LinuxCpuTimes()
        : this(LinuxTasks.OwnIdIn("/proc"))
    {
    }

    /// <param name="ownIdInProc">This process's id as /proc has it; null if that is not known.</param>
    internal LinuxCpuTimes(int? ownIdInProc)
    {
        _isProcForeign = ownIdInProc is { } id && id != Environment.ProcessId;
        if (!TryGetThread(out _, out _))
        {
            ThreadUnavailableReason = LinuxResourceUsage.WhyNot(ResourceOwner.Thread);
        }
    }

    public string? ThreadUnavailableReason { get; }

    // Negative where it is refused (a seccomp filter).
    public long? ThreadId => CurrentThreadId;

    /// <summary>gettid(2) of the calling thread; null where it is refused, or its number is not known.</summary>
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

    public bool TryGetTotal(ResourceOwner owner, long id, out long totalNanoseconds, [NotNullWhen(false)] out string? reason)
    {
        totalNanoseconds = 0;
        if (owner == ResourceOwner.Children)
        {
            bool isSplit = TryGetSplit(owner, id, out CpuUsage split, out reason);
            totalNanoseconds = split.TotalNanoseconds;
            return isSplit;
        }

        // The kernel takes the calling thread's ID for its process's; no other thread's.
        bool exists = id < IdLimit && (id == 0 || owner == ResourceOwner.Thread || id == Environment.ProcessId || id != ThreadId);
        int clock = owner == ResourceOwner.Thread ? ThreadClock((int)id)
            : id == 0 ? LibC.CLOCK_PROCESS_CPUTIME_ID
            : ProcessClock((int)id);
        bool known = exists && TryGetClock(clock, out totalNanoseconds);
        reason = known ? null
            : owner == ResourceOwner.Thread ? CpuTimeReasons.NoThread(id)
            : id != 0 ? CpuTimeReasons.NoProcess((int)id)
            : "The kernel refused clock_gettime(CLOCK_PROCESS_CPUTIME_ID): probably a seccomp filter; allow it.";
        return known;
    }

    public bool TryGetSplit(ResourceOwner owner, long id, out CpuUsage split, [NotNullWhen(false)] out string? reason)
    {
        if (id == 0 || id == (owner == ResourceOwner.Thread ? ThreadId : Environment.ProcessId))
        {
            bool known = LinuxResourceUsage.TryGet(owner, out ResourceUsage usage, out reason);
            split = usage.Cpu;
            return known;
        }

        // Its clock first: it shows whether the thread or process exists (/proc answers for the IDs of threads too), and makes the
        // kernel account the slice that runs.
        split = default;
        if (!TryGetTotal(owner, id, out long total, out reason))
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
            // The file has both in whole ticks of 10 ms, cut off. The clock has the total; the file says what of it was kernel.
            long kernel = Math.Min(stat.Usage.KernelNanoseconds, total);
            split = new CpuUsage(total - kernel, kernel);
            return true;
        }

        string kind = owner == ResourceOwner.Thread ? "thread" : "process";
        reason = $"The user and kernel time of {kind} {id} cannot be read; its total can. "
            + (_isProcForeign
                ? LinuxReasons.OtherNamespace
                : LinuxFiles.WhyNotRead("It has just ended, or /proc is not mounted or hides it (hidepid)."));
        return false;
    }

    // include/linux/posix-timers_types.h: the complement of the id, then "per thread" (4), then the scheduler's clock (2).
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
