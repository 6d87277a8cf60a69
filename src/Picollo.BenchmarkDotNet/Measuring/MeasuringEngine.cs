using BenchmarkDotNet.Characteristics;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Exchange;

namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>BenchmarkDotNet's engine, measured while it runs; then, if asked for, single invocations.</summary>
/// <remarks>A custom engine is the one extension that runs inside the benchmark's process, on the benchmark's thread, under all toolchains;
/// a diagnoser in the host hears of begin and end only, and cannot tell overhead from workload.</remarks>
/// <param name="engine">BenchmarkDotNet's, after the setup of the benchmark.</param>
/// <param name="parameters">The benchmark.</param>
/// <param name="clock">The engine's.</param>
/// <param name="request">What to measure.</param>
/// <param name="openCounters">Opens the counters on the thread that calls it, which is the benchmark's.</param>
/// <param name="path">The file for the results.</param>
internal sealed class MeasuringEngine(
    IEngine engine,
    EngineParameters parameters,
    MeteringClock clock,
    MeasureRequest request,
    Func<MeasureRequest, ICounters> openCounters,
    string path) : IEngine
{
    /// <summary>Below it a counter took turns; the rest is for the kernel's rounding.</summary>
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
            .. counted.Where(one => double.IsNaN(one.PerOperation)).Select(one => $"Not counted: {one.Name}: its turn never came."),
            .. failure is null ? Array.Empty<string>() : [failure],
        ];
        MeasureResult result = new([.. counted.Where(one => !double.IsNaN(one.PerOperation))], unavailable, sums.Cpu, invocations);
        if (!ExchangeFile.TryAddResult(path, result, out string? reason))
        {
            WriteLine($"// Not measured: {reason}"); // the times are there all the same
        }

        return results;
    }

    public Measurement RunIteration(IterationData data) => engine.RunIteration(data);

    public void WriteLine() => engine.WriteLine();

    public void WriteLine(string line) => engine.WriteLine(line);

    public void Dispose() => engine.Dispose();

    /// <summary>Calls the workload more often than BenchmarkDotNet has announced to it: one with a queue that was filled for the announced
    /// number fails then. That must cost the percentiles only.</summary>
    private InvocationTimes? TryMeasureInvocations(RunResults results, out string? failure)
    {
        failure = null;
        try
        {
            return request.HasInvocations ? SingleInvocations.Measure(parameters, results) : null;
        }
        catch (Exception e)
        {
            failure = $"No percentiles: {parameters.BenchmarkName}: a single call after the iterations failed: "
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
