using System.ComponentModel;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using Picollo.BenchmarkDotNet.BenchmarkProcess;
using Picollo.BenchmarkDotNet.Measures;

namespace Picollo.BenchmarkDotNet;

/// <summary>Creates the measuring engine in the benchmark process. The attributes and <see cref="PicolloConfigExtensions"/> set it. The
/// type is public because the programs that BenchmarkDotNet generates refer to it.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class PicolloEngineFactory : IEngineFactory
{
    /// <summary>Creates the engine of BenchmarkDotNet and, if measures are requested, a measuring engine around it.</summary>
    /// <param name="engineParameters">The parameters of the benchmark.</param>
    /// <returns>The engine.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="engineParameters"/> is <see langword="null"/>.</exception>
    public IEngine CreateReadyToRun(EngineParameters engineParameters) => Create(engineParameters, PerfEventBenchmarkCounters.Open);

    /// <summary>Returns the text for the job column.</summary>
    /// <returns>The text "Picollo".</returns>
    public override string ToString() => "Picollo";

    /// <summary>Creates an engine whose counters are opened on the calling thread. Tests substitute counters with known values.</summary>
    internal static IEngine Create(EngineParameters engineParameters, Func<MeasureRequest, ICounters> openCounters)
    {
        ArgumentNullException.ThrowIfNull(engineParameters);
        if (Environment.GetEnvironmentVariable(ExchangeFile.Variable) is not { Length: > 0 } path
            || ExchangeFile.ReadRequest(path) is not { } request)
        {
            return new EngineFactory().CreateReadyToRun(engineParameters);
        }

        Job job = engineParameters.TargetJob;
        MeteringClock clock = new(job.ResolveValue(InfrastructureMode.ClockCharacteristic, EngineParameters.DefaultResolver)!);
        engineParameters.TargetJob = job.WithClock(clock);
        IEngine engine = new EngineFactory().CreateReadyToRun(engineParameters);
        return new MeasuringEngine(engine, engineParameters, clock, request, openCounters, path);
    }
}
