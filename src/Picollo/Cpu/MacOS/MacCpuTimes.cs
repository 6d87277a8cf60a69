using Picollo.Interop.MacOS;

namespace Picollo.Cpu.MacOS;

/// <summary>Reads the current thread's total from its clock, in nanoseconds, and its user and kernel time with <c>thread_info</c>, in
/// microseconds. Reads this process and its children with <c>getrusage</c>, and other processes and threads with <c>libproc</c>.</summary>
/// <remarks>The kernel truncates user and kernel time to whole microseconds, so their sum is up to 2 µs below the clock of the thread, plus
/// the time between the two calls. Each of the three values is monotonic.</remarks>
[SupportedOSPlatform("macos")]
internal sealed unsafe class MacCpuTimes : ICpuTimes
{
    private readonly MachTimebase _timebase = MachTimebase.Read();
    private readonly bool _isThreadKnown;

    public MacCpuTimes() => _isThreadKnown = TryGetThread(out _, out _);

    public long? ThreadId
    {
        get
        {
            ulong id = 0;
            return LibSystem.pthread_threadid_np(thread: 0, &id) == 0 ? (long)id : null;
        }
    }

    public MeasurementUnavailableException? ThreadFailure => _isThreadKnown ? null : new(
        "macOS refused clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID) or thread_info(THREAD_BASIC_INFO).",
        MeasurementUnavailableCause.Unknown);

    public bool TryGetThread(out long totalNanoseconds)
    {
        // The call returns 0 on failure; a running thread has always used some time.
        totalNanoseconds = (long)LibSystem.clock_gettime_nsec_np(LibSystem.CLOCK_THREAD_CPUTIME_ID);
        return totalNanoseconds != 0;
    }

    public bool TryGetThread(out long totalNanoseconds, out CpuUsage split)
    {
        ThreadBasicInfo info = default;
        uint count = (uint)(sizeof(ThreadBasicInfo) / sizeof(int));
        uint port = LibSystem.pthread_mach_thread_np(LibSystem.pthread_self());
        bool isSplit = LibSystem.thread_info(port, LibSystem.THREAD_BASIC_INFO, &info, &count) == 0;
        split = new CpuUsage(info.User.Nanoseconds, info.Kernel.Nanoseconds);
        return TryGetThread(out totalNanoseconds) && isSplit;
    }

    public bool TryGetTotal(
        ResourceOwner owner, long id, out long totalNanoseconds, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        // Reads this process with the same call as another one, in Mach absolute time, which is finer than the microseconds of getrusage.
        bool known = owner == ResourceOwner.Process && id == 0
            ? TryGetProcess(Environment.ProcessId, out CpuUsage split, out failure)
            : TryGetSplit(owner, id, out split, out failure);
        totalNanoseconds = split.TotalNanoseconds;
        return known;
    }

    public bool TryGetSplit(
        ResourceOwner owner, long id, out CpuUsage split, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        if (id != 0)
        {
            return owner == ResourceOwner.Thread
                ? TryGetThread(id, out split, out failure)
                : TryGetProcess((int)id, out split, out failure);
        }

        bool known = MacResourceUsage.TryGet(owner, out ResourceUsage usage, out failure);
        split = usage.Cpu;
        return known;
    }

    public bool TryGetResources(
        ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure) =>
        MacResourceUsage.TryGet(owner, out usage, out failure);

    private static bool TryGetThread(long threadId, out CpuUsage split, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        ProcessThreadInfo info = default;
        int size = LibSystem.proc_pidinfo(
            Environment.ProcessId, LibSystem.PROC_PIDTHREADID64INFO, (ulong)threadId, &info, sizeof(ProcessThreadInfo));
        bool known = size == sizeof(ProcessThreadInfo);
        split = known ? new CpuUsage((long)info.UserNanoseconds, (long)info.KernelNanoseconds) : default;
        failure = known ? null : CpuTimeReasons.NoThread(threadId);
        return known;
    }

    private bool TryGetProcess(int processId, out CpuUsage split, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        split = default;
        ResourceUsageInfo usage = default;
        if (LibSystem.proc_pid_rusage(processId, LibSystem.RUSAGE_INFO_V0, &usage) != 0)
        {
            failure = Marshal.GetLastPInvokeError() switch
            {
                LibSystem.ESRCH => CpuTimeReasons.NoProcess(processId, LibSystem.ESRCH),
                LibSystem.EPERM => CpuTimeReasons.NotPermitted(processId, "run as that user or as root", LibSystem.EPERM),
                var error => CpuTimeReasons.CallFailed($"proc_pid_rusage({processId})", error),
            };
            return false;
        }

        if (usage.Ended != 0)
        {
            failure = CpuTimeReasons.ProcessEnded(processId);
            return false;
        }

        split = new CpuUsage(_timebase.ToNanoseconds(usage.User), _timebase.ToNanoseconds(usage.Kernel));
        failure = null;
        return true;
    }
}

/// <summary>Calls <c>getrusage</c>, which macOS supports only for processes.</summary>
internal static unsafe class MacResourceUsage
{
    [SupportedOSPlatform("macos")]
    public static bool TryGet(
        ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        if (owner == ResourceOwner.Thread)
        {
            usage = default;
            failure = new(
                "macOS counts page faults and context switches per process, not per thread. Read those of the process. "
                + "CpuUsageReader.GetByThread() returns the CPU time of the thread.",
                MeasurementUnavailableCause.NotSupported);
            return false;
        }

        DarwinResourceUsage read = default;
        bool known = LibSystem.getrusage(owner == ResourceOwner.Process ? LibSystem.RUSAGE_SELF : LibSystem.RUSAGE_CHILDREN, &read) == 0;
        failure = known ? null : new("macOS refused getrusage.", MeasurementUnavailableCause.Unknown, Marshal.GetLastSystemError());
        usage = known ? ToUsage(read) : default;
        return known;
    }

    internal static ResourceUsage ToUsage(in DarwinResourceUsage usage) => new()
    {
        Cpu = new CpuUsage(usage.User.Nanoseconds, usage.Kernel.Nanoseconds),
        MaxResidentBytes = usage.MaxResidentBytes,
        MinorPageFaults = usage.MinorFaults,
        MajorPageFaults = usage.MajorFaults,
        BlockInputOperations = usage.BlockInputs,
        BlockOutputOperations = usage.BlockOutputs,
        VoluntaryContextSwitches = usage.VoluntarySwitches,
        InvoluntaryContextSwitches = usage.InvoluntarySwitches,
    };
}
