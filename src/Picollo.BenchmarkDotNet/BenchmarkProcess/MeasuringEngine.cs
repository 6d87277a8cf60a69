using BenchmarkDotNet.Characteristics;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Measures;

namespace Picollo.BenchmarkDotNet.BenchmarkProcess;

/// <summary>Runs the engine of BenchmarkDotNet and measures it, and then measures single calls if requested.</summary>
/// <remarks>A custom engine is the only extension that runs in the benchmark process, on the thread of the benchmark, with all toolchains.
/// A diagnoser in the host only receives signals for the start and the end, and cannot distinguish overhead from workload.</remarks>
internal sealed class MeasuringEngine(
    IEngine engine,
    EngineParameters parameters,
    MeteringClock clock,
    MeasureRequest request,
    Func<MeasureRequest, ICounters> openCounters,
    string path) : IEngine
{
    /// <summary>The share of the time below which a counter was multiplexed. It is below 1 because the kernel rounds.</summary>
    private const double FullShare = 0.999;

    public IHost Host => engine.Host;

    public Job TargetJob => engine.TargetJob;

    public long OperationsPerInvoke => engine.OperationsPerInvoke;

    public Action? GlobalSetupAction => engine.GlobalSetupAction;

    public Action? GlobalCleanupAction => engine.GlobalCleanupAction;

    public Action<long> WorkloadAction => engine.WorkloadAction;

    public Action<long> OverheadAction => engine.OverheadAction;

    public IResolver Resolver => engine.Resolver;

    public RunResults Run()
    {
        using ICounters counters = openCounters(request);
        var meter = new IterationMeter(counters, request.CpuUsage);
        clock.Meter = meter;
        RunResults results = engine.Run();
        clock.Meter = null;

        var sums = new IterationSums(meter.Iterations, results.EngineMeasurements);
        InvocationTimes? invocations = TryMeasureInvocations(results, out string? failure);
        CountedEvents[] counted = [.. counters.Names.Select((name, i) => Counted(name, i, counters, sums))];
        string[] unavailable =
        [
            .. counters.Unavailable,
            .. counted.Where(counter => double.IsNaN(counter.PerOperation))
                .Select(counter => $"Not counted: {counter.Name}: the multiplexed counter never ran."),
            .. failure is null ? Array.Empty<string>() : [failure],
        ];
        MeasureResult result = new([.. counted.Where(counter => !double.IsNaN(counter.PerOperation))], unavailable, sums.Cpu, invocations);
        if (!ExchangeFile.TryAddResult(path, result, out string? reason))
        {
            WriteLine($"// Not measured: {reason}"); // the times of BenchmarkDotNet are not affected
        }

        return results;
    }

    public Measurement RunIteration(IterationData data) => engine.RunIteration(data);

    public void WriteLine() => engine.WriteLine();

    public void WriteLine(string line) => engine.WriteLine(line);

    public void Dispose() => engine.Dispose();

    /// <summary>Measures single calls. These are more calls than BenchmarkDotNet announced to the benchmark, so a workload that prepared
    /// input for the announced number may throw. In that case, only the percentiles are missing.</summary>
    private InvocationTimes? TryMeasureInvocations(RunResults results, out string? failure)
    {
        failure = null;
        try
        {
            return request.HasInvocations ? SingleInvocations.Measure(parameters, results) : null;
        }
        catch (Exception e)
        {
            failure = $"No percentiles: {parameters.BenchmarkName}: a call after the iterations failed: "
                + $"{e.GetType().Name}: {e.Message}";
            return null;
        }
    }

    private static CountedEvents Counted(string name, int index, ICounters counters, IterationSums sums)
    {
        double share = counters.ShareOfTime(index);
        return new(name, share > 0 ? sums.PerOperation(index) : double.NaN, share < FullShare);
    }
}
