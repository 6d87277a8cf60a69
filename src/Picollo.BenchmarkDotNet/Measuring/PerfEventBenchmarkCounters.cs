using Picollo.BenchmarkDotNet.Exchange;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>The kernel's counters, of the thread that opens them or of the whole process.</summary>
internal sealed class PerfEventBenchmarkCounters : ICounters
{
    private readonly PerfEventCounterSession? _session;

    private PerfEventBenchmarkCounters(PerfEventCounterSession? session, IReadOnlyList<string> names, IReadOnlyList<string> unavailable) =>
        (_session, Names, Unavailable) = (session, names, unavailable);

    public IReadOnlyList<string> Names { get; }

    public IReadOnlyList<string> Unavailable { get; }

    /// <summary>Opens what can be had, and says why the rest cannot.</summary>
    public static PerfEventBenchmarkCounters Open(MeasureRequest request)
    {
        PerfEventCounterSessionFactory factory = PerfEventCounterSession.Factory.WithOptional().WithKernel(request.IncludeKernel);
        if (request.AllThreads)
        {
            factory = factory.WithProcess(0);
        }

        foreach (BenchmarkCounter counter in request.Counters)
        {
            factory = counter.AddTo(factory);
        }

        if (request.Counters.Count == 0)
        {
            return new(null, [], []);
        }

        if (!factory.TryCreate(out PerfEventCounterSession? session, out string? reason))
        {
            return new(null, [], [$"Not counted: {string.Join(", ", request.Counters.Select(counter => counter.SessionName))}: {reason}"]);
        }

        Dictionary<string, string> names = request.Counters.ToDictionary(counter => counter.SessionName, counter => counter.Name);
        return new(
            session,
            [.. session.Counters.Select(counter => names[counter.Name])],
            [.. UnavailablePerfCounter.Describe(session.UnavailableCounters).Select(text => $"Not counted: {text}")]);
    }

    public void Begin() => _session?.Read();

    public void End(Span<ulong> counts)
    {
        _session?.Read();
        for (int i = 0; i < counts.Length; i++)
        {
            counts[i] = _session!.Counters[i].Delta;
        }
    }

    public double ShareOfTime(int index) => _session!.Counters[index].RunningShare ?? 1;

    public void Dispose() => _session?.Dispose();
}
