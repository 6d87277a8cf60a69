using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using Picollo.BenchmarkDotNet.Measures;

namespace Picollo.BenchmarkDotNet.Tests.Workloads;

/// <summary>Records the engines that Picollo's factory creates and the path of their exchange file. Must follow the attributes of
/// Picollo.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class RecordedEnginesAttribute() : JobMutatorConfigBaseAttribute(Job.Default.WithEngineFactory(new RecordedEngines()));

public sealed class RecordedEngines : IEngineFactory
{
    public static List<string> Engines { get; } = [];

    public static List<string?> Files { get; } = [];

    public static void Clear()
    {
        Engines.Clear();
        Files.Clear();
    }

    public IEngine CreateReadyToRun(EngineParameters engineParameters)
    {
        Files.Add(Environment.GetEnvironmentVariable(ExchangeFile.Variable));
        IEngine engine = new PicolloEngineFactory().CreateReadyToRun(engineParameters);
        Engines.Add(engine.GetType().Name);
        return engine;
    }
}
