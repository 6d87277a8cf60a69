using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using Picollo.BenchmarkDotNet.BenchmarkProcess;
using Picollo.BenchmarkDotNet.Measures;

namespace Picollo.BenchmarkDotNet.Tests.Counters;

/// <summary>Counters with values that benchmarks set, plus 1,000 per iteration for the overhead of reading real ones.</summary>
internal sealed class KnownCounters(MeasureRequest request) : ICounters
{
    private const int OfReading = 1_000;

    private readonly Dictionary<string, ulong> _start = [];

    public IReadOnlyList<string> Names { get; } = [.. request.Counters.Select(counter => counter.Name)];

    public IReadOnlyList<string> Unavailable { get; } = KnownCounts.Unavailable;

    public void Begin()
    {
        foreach (string name in Names)
        {
            _start[name] = KnownCounts.Of(name);
        }
    }

    public void End(Span<ulong> counts)
    {
        for (int i = 0; i < counts.Length; i++)
        {
            counts[i] = KnownCounts.Of(Names[i]) - _start[Names[i]] + OfReading;
        }
    }

    public double ShareOfTime(int index) => KnownCounts.Share;

    public void Dispose()
    {
    }
}

/// <summary>The values of <see cref="KnownCounters"/>, to which benchmarks add.</summary>
public static class KnownCounts
{
    /// <summary>The share of the time in which the counters run. The global setup of a benchmark sets it.</summary>
    public static double Share { get; set; } = 1;

    /// <summary>The messages about unavailable counters. The global setup of a benchmark sets them.</summary>
    public static IReadOnlyList<string> Unavailable { get; set; } = [];

    private static readonly Dictionary<string, ulong> Counts = [];

    public static void Add(string counter, ulong count) => Counts[counter] = Of(counter) + count;

    public static ulong Of(string counter) => Counts.GetValueOrDefault(counter);
}

/// <summary>Replaces the counters of the kernel by <see cref="KnownCounters"/>. Must follow the attributes of Picollo.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class KnownCountersAttribute() : JobMutatorConfigBaseAttribute(Job.Default.WithEngineFactory(new KnownCountersEngineFactory()));

/// <summary>Creates the engine of Picollo with known counters. Public for the programs that BenchmarkDotNet generates.</summary>
public sealed class KnownCountersEngineFactory : IEngineFactory
{
    public IEngine CreateReadyToRun(EngineParameters engineParameters) =>
        PicolloEngineFactory.Create(engineParameters, request => new KnownCounters(request));
}
