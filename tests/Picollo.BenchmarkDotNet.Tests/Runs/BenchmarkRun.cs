using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace Picollo.BenchmarkDotNet.Tests.Runs;

/// <summary>A run of BenchmarkDotNet with its log. Its files exist until this object is disposed.</summary>
public class BenchmarkRun : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("picollo-benchmarks-");
    private readonly AccumulationLogger _log = new();

    /// <param name="config">The configuration with the jobs.</param>
    /// <param name="classes">The classes with benchmarks.</param>
    public BenchmarkRun(IConfig config, params Type[] classes)
    {
        ManualConfig here = ManualConfig.Create(config)
            .AddColumnProvider(DefaultColumnProviders.Instance)
            .AddLogger(_log)
            .WithArtifactsPath(_folder.FullName)
            .WithOptions(ConfigOptions.DisableOptimizationsValidator | ConfigOptions.DisableLogFile); // the tests may be built in the debug configuration
        Summaries = BenchmarkRunner.Run(classes, here);
    }

    /// <summary>The summaries, one for each class.</summary>
    public IReadOnlyList<Summary> Summaries { get; }

    /// <summary>The output that a user sees.</summary>
    public string Log => _log.GetLog();

    /// <summary>The summary of the only class.</summary>
    public Summary Summary => Summaries.Single();

    /// <summary>Returns the summary of a class.</summary>
    public Summary Of<T>() => Summaries.Single(summary => summary.BenchmarksCases[0].Descriptor.Type == typeof(T));

    /// <summary>Creates a job in which each iteration calls the benchmark 64 times, after at most 20 overhead iterations.</summary>
    public static Job Counted(IToolchain? toolchain = null) => Job.Default.WithId("Counted").WithToolchain(toolchain ?? InProcessEmitToolchain.Instance)
        .WithWarmupCount(1).WithIterationCount(3).WithInvocationCount(64).WithUnrollFactor(16);

    /// <summary>Creates a job in which each iteration calls the benchmark once.</summary>
    public static Job Unrepeated(IToolchain? toolchain = null) => Counted(toolchain).WithId("Unrepeated").WithInvocationCount(1).WithUnrollFactor(1);

    public void Dispose()
    {
        _folder.Delete(recursive: true);
        GC.SuppressFinalize(this);
    }
}
