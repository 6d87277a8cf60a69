using Picollo.Interop.Windows;
using Picollo.Timing;

namespace Picollo.Cpu.Windows;

/// <summary>Reads user and kernel time with <c>GetThreadTimes</c> and <c>GetProcessTimes</c>, in scheduler ticks (15.6 ms), and totals with
/// <c>QueryThreadCycleTime</c> and <c>QueryProcessCycleTime</c>, with the resolution of the CPU's counter.</summary>
/// <remarks>The constructor decides whether totals come from cycles, and no reading mixes the two sources: they differ by up to a tick, so
/// a total that alternated between the sources could decrease. If cycles are not counted (Wine) or do not measure time (see
/// <see cref="CycleTime"/>), a total is the sum of user and kernel time.</remarks>
[SupportedOSPlatform("windows")]
internal sealed unsafe class WindowsCpuTimes : ICpuTimes
{
    // Picoseconds per cycle, in the format of TickRatio; 0 if totals do not come from cycles.
    private readonly ulong _threadCycle;
    private readonly ulong _processCycle;

    /// <summary>The error number of reading the time of the current thread; null if it can be read.</summary>
    private readonly int? _threadError;

    public WindowsCpuTimes()
    {
        ulong cycles;
        ulong multiplier = CycleClock.Multiplier;
        if (CycleClock.IsCycleCounter
            && Kernel32.QueryThreadCycleTime(Kernel32.CurrentThread, &cycles) != 0
            && CycleTime.MeasuresTime(new ThreadCycles(), multiplier))
        {
            _threadCycle = multiplier;
            _processCycle = Kernel32.QueryProcessCycleTime(Kernel32.CurrentProcess, &cycles) != 0 ? multiplier : 0;
        }

        _threadError = TryGetThread(out _, out _) ? null : Marshal.GetLastSystemError();
    }

    public long? ThreadId => Kernel32.GetCurrentThreadId();

    public MeasurementUnavailableException? ThreadFailure => _threadError is null ? null : new(
        "Windows refused GetThreadTimes for the current thread.", MeasurementUnavailableCause.Unknown, _threadError);

    public bool TryGetThread(out long totalNanoseconds) =>
        TryReadTotal(ResourceOwner.Thread, Kernel32.CurrentThread, out totalNanoseconds);

    public bool TryGetThread(out long totalNanoseconds, out CpuUsage split)
    {
        bool known = TryReadSplit(ResourceOwner.Thread, Kernel32.CurrentThread, out split);
        totalNanoseconds = split.TotalNanoseconds;
        return known && (_threadCycle == 0 || TryGetThread(out totalNanoseconds));
    }

    public bool TryGetTotal(
        ResourceOwner owner, long id, out long totalNanoseconds, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        totalNanoseconds = 0;
        using KernelHandle handle = Open(owner, id, out failure);
        if (failure is null && !TryReadTotal(owner, handle.Value, out totalNanoseconds))
        {
            failure = NotRead(owner, id);
        }

        return failure is null;
    }

    public bool TryGetSplit(
        ResourceOwner owner, long id, out CpuUsage split, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        split = default;
        using KernelHandle handle = Open(owner, id, out failure);
        if (failure is null && !TryReadSplit(owner, handle.Value, out split))
        {
            failure = NotRead(owner, id);
        }

        return failure is null;
    }

    public bool TryGetResources(
        ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        usage = default;
        failure = new(
            "Windows does not distinguish voluntary and involuntary context switches, or minor and major page faults. "
            + "Use CpuUsageReader.GetByThread() and CpuUsageReader.GetByProcess() for CPU time, "
            + "and System.Diagnostics.Process.PeakWorkingSet64 for the largest resident size.",
            MeasurementUnavailableCause.NotSupported);
        return false;
    }

    private static KernelHandle Open(ResourceOwner owner, long id, out MeasurementUnavailableException? failure)
    {
        switch (owner)
        {
            case ResourceOwner.Children:
                failure = new(
                    "Windows does not record the CPU time of a process's children. Read each child by its ID before it exits.",
                    MeasurementUnavailableCause.NotSupported);
                return default;
            case ResourceOwner.Thread:
                return KernelHandle.OpenThread(id, out failure);
            default:
                failure = null;
                return id == 0 ? KernelHandle.CurrentProcess : KernelHandle.OpenProcess((int)id, out failure);
        }
    }

    private static MeasurementUnavailableException NotRead(ResourceOwner owner, long id)
    {
        int error = Marshal.GetLastSystemError();
        return owner == ResourceOwner.Thread ? CpuTimeReasons.NoThread(id, error)
            : id != 0 ? CpuTimeReasons.NoProcess((int)id, error)
            : new("Windows refused GetProcessTimes for this process.", MeasurementUnavailableCause.Unknown, error);
    }

    // Inlined, so that a constant owner is resolved at compile time.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryReadTotal(ResourceOwner owner, nint handle, out long totalNanoseconds)
    {
        ulong multiplier = owner == ResourceOwner.Thread ? _threadCycle : _processCycle;
        if (multiplier == 0)
        {
            bool isRead = TryReadSplit(owner, handle, out CpuUsage split);
            totalNanoseconds = split.TotalNanoseconds;
            return isRead;
        }

        ulong cycles = 0;
        bool known = (owner == ResourceOwner.Thread
            ? Kernel32.QueryThreadCycleTime(handle, &cycles)
            : Kernel32.QueryProcessCycleTime(handle, &cycles)) != 0;
        totalNanoseconds = CycleTime.ToNanoseconds(cycles, multiplier);
        return known;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryReadSplit(ResourceOwner owner, nint handle, out CpuUsage split)
    {
        FileTime creation, exit, kernel = default, user = default;
        bool known = (owner == ResourceOwner.Thread
            ? Kernel32.GetThreadTimes(handle, &creation, &exit, &kernel, &user)
            : Kernel32.GetProcessTimes(handle, &creation, &exit, &kernel, &user)) != 0;
        split = new CpuUsage(user.Nanoseconds, kernel.Nanoseconds);
        return known;
    }

    /// <summary>The cycles of the current thread; always 0 if the system does not count them.</summary>
    private sealed class ThreadCycles : ICycleTimeSource
    {
        public long ReadCounter()
        {
            ulong cycles;
            return Kernel32.QueryThreadCycleTime(Kernel32.CurrentThread, &cycles) != 0 ? (long)cycles : 0;
        }
    }
}
