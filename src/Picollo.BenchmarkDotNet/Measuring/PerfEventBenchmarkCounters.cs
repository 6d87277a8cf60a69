using Picollo.BenchmarkDotNet.Exchange;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>The kernel's counters, of the thread that opens them or of the whole process.</summary>
internal sealed class PerfEventBenchmarkCounters(
    PerfEventCounterSession? session, IReadOnlyList<string> names, IReadOnlyList<string> unavailable) : ICounters
{
    public IReadOnlyList<string> Names => names;

    public IReadOnlyList<string> Unavailable => unavailable;

    /// <summary>Opens what can be had, and says why the rest cannot.</summary>
    public static PerfEventBenchmarkCounters Open(MeasureRequest request)
    {
        if (request.Counters.Count == 0)
        {
            return new(null, [], []);
        }

        PerfEventCounterSessionFactory factory = PerfEventCounterSession.Factory.WithOptional().WithKernel(request.IncludeKernel);
        factory = request.AllThreads ? factory.WithProcess(0) : factory;
        factory = request.Counters.Aggregate(factory, (counted, counter) => counter.AddTo(counted));
        if (!factory.TryCreate(out PerfEventCounterSession? session, out string? reason))
        {
            return new(null, [], [$"Not counted: {string.Join(", ", request.Counters.Select(counter => counter.SessionName))}: {reason}"]);
        }

        Dictionary<string, string> names = request.Counters.ToDictionary(counter => counter.SessionName, counter => counter.Name);
        return new(
            session,
            [.. session.Counters.Select(counter => names[counter.Name])],
            [.. UnavailableCounterText.Describe(session.UnavailableCounters).Select(text => $"Not counted: {text}")]);
    }

    public void Begin() => session?.Read();

    public void End(Span<ulong> counts)
    {
        session?.Read();
        for (int i = 0; i < counts.Length; i++)
        {
            counts[i] = session!.Counters[i].Delta.ScaledValue;
        }
    }

    public double ShareOfTime(int index) => session!.Counters[index].RunningShare ?? 1;

    public void Dispose() => session?.Dispose();
}

/// <summary>Things that are counted over iterations, on the benchmark's thread.</summary>
internal interface ICounters : IDisposable
{
    /// <summary>What is counted, in the order of the counts.</summary>
    IReadOnlyList<string> Names { get; }

    /// <summary>What was asked for and cannot be counted: a sentence each.</summary>
    IReadOnlyList<string> Unavailable { get; }

    /// <summary>An iteration begins.</summary>
    void Begin();

    /// <summary>It has ended.</summary>
    /// <param name="counts">Takes what was counted since <see cref="Begin"/>.</param>
    void End(Span<ulong> counts);

    /// <summary>For which part of the time a counter has counted so far, 0 to 1; its counts are scaled where that is less than 1.</summary>
    double ShareOfTime(int index);
}
