using Picollo.Cpu;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Samples;

/// <summary>Measures code without hardware counters: its CPU time, its elapsed time by the CPU's time counter, and the events that the
/// kernel counts.</summary>
internal sealed class SoftwareMeter : IDisposable
{
    private readonly PlainHdrHistogram<uint> _cpuTime = HdrHistogram.Create();
    private readonly PlainHdrHistogram<uint> _elapsed = HdrHistogram.Create();
    private readonly PerfEventCounterSession? _session;

    /// <summary>Creates the meter, and prints the reasons for unavailable counters.</summary>
    public SoftwareMeter()
    {
        PerfEventCounterSessionFactory factory = PerfEventCounterSession.Factory
            .WithSoftwareCounter(PerfSoftwareCounterId.TaskClock)
            .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults)
            .WithSoftwareCounter(PerfSoftwareCounterId.ContextSwitches)
            .WithOptional();
        if (!factory.TryCreate(out _session, out MeasurementUnavailableException? failure))
        {
            Console.WriteLine(failure.Message);
        }

        foreach (MeasurementUnavailableException omitted in _session?.UnavailableCounters.Values ?? [])
        {
            Console.WriteLine(omitted.Message);
        }

        Histograms =
        [
            ("CPU time, ns", _cpuTime),
            ("Elapsed, ps", _elapsed),
            .. _session?.Counters.Select(counter => (counter.Name, counter.Histogram)) ?? [],
        ];
    }

    public IReadOnlyList<(string Name, HdrHistogram Histogram)> Histograms { get; }

    /// <summary>Measures an action. The most expensive reading is the outermost one, so that the cheapest reading includes the least overhead of
    /// the others.</summary>
    public void Measure(Action work)
    {
        _session?.Read();
        long start = CpuUsageReader.GetThreadTimeNanoseconds();
        using (_elapsed.GetPicoScope())
        {
            work();
        }

        _cpuTime.Record((ulong)(CpuUsageReader.GetThreadTimeNanoseconds() - start));
        _session?.Read();
        _session?.Record();
    }

    public void Reset()
    {
        _cpuTime.Reset();
        _elapsed.Reset();
        _session?.Reset();
    }

    public void Dispose() => _session?.Dispose();
}
