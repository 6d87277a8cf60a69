using Picollo.BenchmarkDotNet.Measures;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.BenchmarkProcess;

/// <summary>Counters of the kernel for the thread that opens them, or for the whole process.</summary>
internal sealed class PerfEventBenchmarkCounters(
    PerfEventCounterSession? session, IReadOnlyList<string> names, IReadOnlyList<string> unavailable) : ICounters
{
    public IReadOnlyList<string> Names => names;

    public IReadOnlyList<string> Unavailable => unavailable;

    /// <summary>Opens the available counters, and collects the reasons why others are unavailable.</summary>
    public static PerfEventBenchmarkCounters Open(MeasureRequest request)
    {
        if (request.Counters.Count == 0)
        {
            return new(null, [], []);
        }

        PerfEventCounterSessionFactory factory = PerfEventCounterSession.Factory.WithOptional().WithKernel(request.IncludeKernel);
        factory = request.AllThreads ? factory.WithProcess(0) : factory;
        factory = request.Counters.Aggregate(factory, (counted, counter) => counter.AddTo(counted));
        if (!factory.TryCreate(out PerfEventCounterSession? session, out MeasurementUnavailableException? failure))
        {
            string requested = string.Join(", ", request.Counters.Select(counter => counter.SessionName));
            return new(null, [], [$"Not counted: {requested}: {failure.Message}"]);
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

/// <summary>Counters that are read before and after each iteration, on the thread of the benchmark.</summary>
internal interface ICounters : IDisposable
{
    /// <summary>The names of the counters, in the order of the counts.</summary>
    IReadOnlyList<string> Names { get; }

    /// <summary>One sentence for each unavailable counter.</summary>
    IReadOnlyList<string> Unavailable { get; }

    void Begin();

    /// <param name="counts">The buffer that receives the counts since <see cref="Begin"/>.</param>
    void End(Span<ulong> counts);

    /// <summary>Returns the share of the time in which a counter ran, 0 to 1. Its counts are scaled if the share is less than 1.</summary>
    double ShareOfTime(int index);
}
