using System.ComponentModel;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.BenchmarkDotNet.Measuring;

namespace Picollo.BenchmarkDotNet;

/// <summary>Makes the engine that measures, in the benchmark's process. Public because BenchmarkDotNet's generated programs name it: the
/// attributes and <see cref="PicolloConfigExtensions"/> set it.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class PicolloEngineFactory : IEngineFactory
{
    /// <summary>BenchmarkDotNet's own engine, and around it what measures; or that engine alone where nothing is to be measured.</summary>
    /// <param name="engineParameters">The benchmark.</param>
    /// <returns>The engine.</returns>
    /// <exception cref="ArgumentNullException">The parameters are null.</exception>
    public IEngine CreateReadyToRun(EngineParameters engineParameters) => Create(engineParameters, PerfEventBenchmarkCounters.Open);

    /// <summary>What the column of jobs shows.</summary>
    /// <returns>Picollo.</returns>
    public override string ToString() => "Picollo";

    /// <param name="engineParameters">The benchmark.</param>
    /// <param name="openCounters">Opens what counts, on this thread. Tests put known counts there.</param>
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
