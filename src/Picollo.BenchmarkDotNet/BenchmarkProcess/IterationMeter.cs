using Perfolizer.Horology;
using Picollo.Cpu;

namespace Picollo.BenchmarkDotNet.BenchmarkProcess;

internal sealed class IterationMeter(ICounters counters, bool measuresCpu)
{
    private readonly List<Iteration> _iterations = [];
    private readonly ulong[] _counts = new ulong[counters.Names.Count];
    private ProcessUsage? _usage;
    private long _start;

    public IReadOnlyList<Iteration> Iterations => _iterations;

    public void Begin()
    {
        _usage = Usage();
        _start = Stopwatch.GetTimestamp(); // right after the usage, as in End, so that both cover the same time
        counters.Begin(); // last, because everything after it is counted
    }

    public void End()
    {
        counters.End(_counts); // first, because everything before it is counted
        ProcessUsage? usage = Usage() - _usage;
        _iterations.Add(new([.. _counts], usage, Stopwatch.GetElapsedTime(_start).TotalNanoseconds));
    }

    private ProcessUsage? Usage() => measuresCpu ? ProcessUsage.Read() : null;
}

/// <summary>The counts of one iteration, in the order of the counters, and the usage of the process in the elapsed time; null if it was not
/// requested or is unavailable.</summary>
internal readonly record struct Iteration(ulong[] Counts, ProcessUsage? Usage, double WallNanoseconds);

/// <summary>The cumulative resource usage of this process. Switches are null if the system does not report them, as on Windows.</summary>
internal readonly record struct ProcessUsage(CpuUsage Cpu, long? VoluntarySwitches, long? InvoluntarySwitches)
{
    /// <summary>Reads the current usage. Returns null if it is unavailable.</summary>
    public static ProcessUsage? Read() => ResourceUsage.TryGetByProcess(out ResourceUsage usage, out _)
        ? new(usage.Cpu, usage.VoluntaryContextSwitches, usage.InvoluntaryContextSwitches)
        : CpuUsageReader.TryGetByProcess(Environment.ProcessId, out CpuUsage cpu, out _) ? new(cpu, null, null) : null;

    public static ProcessUsage operator -(ProcessUsage end, ProcessUsage start) =>
        new(end.Cpu - start.Cpu, end.VoluntarySwitches - start.VoluntarySwitches, end.InvoluntarySwitches - start.InvoluntarySwitches);
}

/// <summary>Wraps the clock of BenchmarkDotNet, which reads it once before and once after each iteration. It is the only place where
/// exactly one iteration can be measured without affecting its time.</summary>
internal sealed class MeteringClock(IClock clock) : IClock
{
    private bool _isRunning;

    public string Title => clock.Title;

    public bool IsAvailable => clock.IsAvailable;

    public Frequency Frequency => clock.Frequency;

    /// <summary>The meter; null while nothing is measured.</summary>
    public IterationMeter? Meter { get; set; }

    public long GetTimestamp()
    {
        _isRunning = !_isRunning;
        if (_isRunning)
        {
            Meter?.Begin();
            return clock.GetTimestamp();
        }

        long timestamp = clock.GetTimestamp();
        Meter?.End();
        return timestamp;
    }
}
