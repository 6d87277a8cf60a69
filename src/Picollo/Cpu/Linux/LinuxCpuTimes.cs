using System.Diagnostics.CodeAnalysis;
using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>CPU time by <c>clock_gettime(2)</c>, <c>getrusage(2)</c> and, for the split of other threads and processes,
/// <c>/proc</c>.</summary>
/// <remarks>
/// <c>getrusage</c> alone is behind by up to a scheduler tick (4 ms at 250 Hz): it reports what the kernel has accounted. Reading
/// the thread's clock first makes the kernel account the slice that is running, and the two then agree to the microsecond.
/// User and kernel time both come from <c>getrusage</c>, which keeps each of them monotone; user time taken as the clock less
/// kernel time was tried and went back in half of the reads.
/// </remarks>
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

    public bool TryGetProcess(out long totalNanoseconds, [NotNullWhen(false)] out string? problem)
    {
        bool known = TryGetClock(LibC.CLOCK_PROCESS_CPUTIME_ID, out totalNanoseconds);
        problem = known ? null : "The kernel refused clock_gettime(CLOCK_PROCESS_CPUTIME_ID): probably a seccomp filter; allow it.";
        return known;
    }

    public bool TryGetProcess(out CpuUsage split, [NotNullWhen(false)] out string? problem)
    {
        bool known = LinuxResourceUsage.TryGet(ResourceOwner.Process, out ResourceUsage usage, out problem);
        split = usage.Cpu;
        return known;
    }

    public bool TryGetChildren(out CpuUsage split, [NotNullWhen(false)] out string? problem)
    {
        bool known = LinuxResourceUsage.TryGet(ResourceOwner.Children, out ResourceUsage usage, out problem);
        split = usage.Cpu;
        return known;
    }

    public bool TryGetThread(long threadId, out long totalNanoseconds, [NotNullWhen(false)] out string? problem)
    {
        totalNanoseconds = 0;
        bool known = threadId < IdLimit && TryGetClock(ThreadClock((int)threadId), out totalNanoseconds);
        problem = known ? null : CpuTimeProblems.NoThread(threadId);
        return known;
    }

    public bool TryGetThread(long threadId, out CpuUsage split, [NotNullWhen(false)] out string? problem)
    {
        split = default;

        // Its clock first: it tells whether this process has the thread, and makes the kernel account the slice that runs.
        if (!TryGetThread(threadId, out long _, out problem))
        {
            return false;
        }

        var path = new PathBuffer(stackalloc byte[PathLength]);
        path.Append("/proc/self/task/"u8);
        path.Append((int)threadId);
        path.Append("/stat"u8);
        problem = TryReadStat(path.Terminated, out split) ? null : WhyNoStat($"thread {threadId}");
        return problem is null;
    }

    public bool TryGetProcess(int processId, out long totalNanoseconds, [NotNullWhen(false)] out string? problem)
    {
        totalNanoseconds = 0;

        // The kernel takes the calling thread's id for its process's; no other thread's.
        bool known = processId < IdLimit
            && (processId == Environment.ProcessId || processId != ThreadId)
            && TryGetClock(ProcessClock(processId), out totalNanoseconds);
        problem = known ? null : CpuTimeProblems.NoProcess(processId);
        return known;
    }

    public bool TryGetProcess(int processId, out CpuUsage split, [NotNullWhen(false)] out string? problem)
    {
        split = default;

        // Its clock first: /proc answers for the ids of threads too.
        if (!TryGetProcess(processId, out long _, out problem))
        {
            return false;
        }

        var path = new PathBuffer(stackalloc byte[PathLength]);
        path.Append("/proc/"u8);
        path.Append(processId);
        path.Append("/stat"u8);
        problem = TryReadStat(path.Terminated, out split) ? null : WhyNoStat($"process {processId}");
        return problem is null;
    }

    private string WhyNoStat(string whose)
    {
        string reason = LinuxFiles.WhyNotRead("It has just ended, or /proc is not mounted or hides it (hidepid).");
        return $"The user and kernel time of {whose} cannot be read; its total can. "
            + $"{(_isProcForeign ? LinuxReasons.OtherNamespace : reason)}";
    }

    private bool TryReadStat(ReadOnlySpan<byte> path, out CpuUsage split)
    {
        Span<byte> text = stackalloc byte[ProcTaskStat.MaxLength];
        int length = _isProcForeign ? -1 : LinuxFiles.ReadOnce(LibC.AT_FDCWD, path, text);
        bool known = ProcTaskStat.TryParse(length > 0 ? text[..length] : [], out ProcTaskStat stat);
        split = known ? stat.Usage : default;
        return known;
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
