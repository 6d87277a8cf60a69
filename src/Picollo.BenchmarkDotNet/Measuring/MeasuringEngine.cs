using BenchmarkDotNet.Characteristics;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Exchange;

namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>BenchmarkDotNet's engine, measured while it runs; then, if asked for, single invocations.</summary>
/// <remarks>A custom engine is the one extension that runs inside the benchmark's process, on the benchmark's thread, under all toolchains;
/// a diagnoser in the host hears of begin and end only, and cannot tell overhead from workload.</remarks>
internal sealed class MeasuringEngine : IEngine
{
    /// <summary>Below it a counter took turns; the rest is for the kernel's rounding.</summary>
    private const double FullShare = 0.999;

    private readonly IEngine _engine;
    private readonly EngineParameters _parameters;
    private readonly MeteringClock _clock;
    private readonly MeasureRequest _request;
    private readonly Func<MeasureRequest, ICounters> _openCounters;
    private readonly string _path;

    private MeasuringEngine(
        IEngine engine,
        EngineParameters parameters,
        MeteringClock clock,
        MeasureRequest request,
        Func<MeasureRequest, ICounters> openCounters,
        string path) =>
        (_engine, _parameters, _clock, _request, _openCounters, _path) = (engine, parameters, clock, request, openCounters, path);

    public IHost Host => _engine.Host;

    public Job TargetJob => _engine.TargetJob;

    public long OperationsPerInvoke => _engine.OperationsPerInvoke;

    public Action? GlobalSetupAction => _engine.GlobalSetupAction;

    public Action? GlobalCleanupAction => _engine.GlobalCleanupAction;

    public Action<long> WorkloadAction => _engine.WorkloadAction;

    public Action<long> OverheadAction => _engine.OverheadAction;

    public IResolver Resolver => _engine.Resolver;

    /// <summary>Sets the benchmark up, as BenchmarkDotNet's factory does.</summary>
    /// <param name="parameters">The benchmark; its job gets our clock.</param>
    /// <param name="request">What to measure.</param>
    /// <param name="openCounters">Called on the benchmark's thread, after the setup.</param>
    /// <param name="path">Where the results go.</param>
    public static MeasuringEngine Create(
        EngineParameters parameters, MeasureRequest request, Func<MeasureRequest, ICounters> openCounters, string path)
    {
        var clock = new MeteringClock(
            parameters.TargetJob.ResolveValue(InfrastructureMode.ClockCharacteristic, EngineParameters.DefaultResolver)!);
        parameters.TargetJob = parameters.TargetJob.WithClock(clock);
        return new(new EngineFactory().CreateReadyToRun(parameters), parameters, clock, request, openCounters, path);
    }

    public RunResults Run()
    {
        using ICounters counters = _openCounters(_request);
        var meter = new IterationMeter(counters, _request.CpuUsage);
        _clock.Meter = meter;
        RunResults results = _engine.Run();
        _clock.Meter = null;

        var sums = new IterationSums(meter.Iterations, results.EngineMeasurements);
        InvocationTimes? invocations = _request.HdrPercentiles ? SingleInvocations.Measure(_parameters, results) : null;
        MeasureResult result = new(
            [.. counters.Names.Select((name, i) => Counted(name, i, counters, sums))], counters.Unavailable, sums.Cpu, invocations);
        if (!ExchangeFile.TryWriteResult(_path, result, out string? reason))
        {
            WriteLine($"// Not measured: {reason}"); // the times are there all the same
        }

        return results;
    }

    public Measurement RunIteration(IterationData data) => _engine.RunIteration(data);

    public void WriteLine() => _engine.WriteLine();

    public void WriteLine(string line) => _engine.WriteLine(line);

    public void Dispose() => _engine.Dispose();

    private static CountedEvents Counted(string name, int index, ICounters counters, IterationSums sums)
    {
        double share = counters.ShareOfTime(index);
        return new(name, share > 0 ? sums.PerOperation(index) : double.NaN, share < FullShare);
    }
}
