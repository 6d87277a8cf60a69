using System.Reflection;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Tests.Workloads;

namespace Picollo.BenchmarkDotNet.Tests.Runs;

/// <summary>One program for all tests, because its build takes most of the time. It uses the existing assemblies.</summary>
public sealed class OutOfProcessRun : BenchmarkRun
{
    public OutOfProcessRun()
        : base(ManualConfig.CreateEmpty().AddJob(Apart()), typeof(OutOfProcessWorkloads), typeof(OutOfProcessKnownWorkloads))
    {
    }

    private static string Targets => Path.Combine(Repository.Root, "tests/Picollo.BenchmarkDotNet.Tests/Runs/GeneratedProgram.targets");

    // BenchmarkDotNet uses the release configuration, so there are no assemblies to reuse in the debug configuration.
    private static bool IsForRelease =>
        typeof(OutOfProcessRun).Assembly.GetCustomAttribute<AssemblyConfigurationAttribute>()?.Configuration == "Release";

    // The build of the repository has already run the analyzers and compiled the code.
    private static Job Apart() => Job.Default.WithId("Apart").WithArguments(
        [
            new MsBuildArgument("/p:RunAnalyzers=false"),
            .. IsForRelease ? (MsBuildArgument[])[new($"/p:CustomAfterMicrosoftCommonTargets=\"{Targets}\"")] : [],
        ])
        .WithEnvironmentVariable("DOTNET_TieredCompilation", "0")
        .WithWarmupCount(1).WithIterationCount(3).WithInvocationCount(16).WithUnrollFactor(4);
}

/// <summary>Benchmarks in a separate process, which is the default.</summary>
[Trait("Category", "Slow")]
public sealed class OutOfProcessTests(OutOfProcessRun run) : IClassFixture<OutOfProcessRun>
{
    [Fact]
    public void The_generated_program_is_built_and_runs() =>
        run.Summaries.SelectMany(summary => summary.Reports).Select(report => report.Success).Should().HaveCount(4).And.AllBeEquivalentTo(true, "{0}", run.Log);

    [Fact]
    public void Known_counts_are_exact()
    {
        run.Of<OutOfProcessKnownWorkloads>().Value(nameof(OutOfProcessKnownWorkloads.Seven), "Instructions/Op").Should().BeApproximately(7, 1e-9);
        run.Of<OutOfProcessKnownWorkloads>().Value(nameof(OutOfProcessKnownWorkloads.Awaited), "Instructions/Op").Should().BeApproximately(14, 1e-9);
    }

    [Fact]
    public void CPU_time_is_measured_in_the_benchmark_process()
    {
        foreach (BenchmarkReport report in run.Of<OutOfProcessWorkloads>().Reports)
        {
            double burnt = 1e6 * (int)report.BenchmarkCase.Parameters[nameof(OutOfProcessWorkloads.Milliseconds)];
            report.Metrics["CPU/Op"].Value.Should().BeInRange(0.98 * burnt, 2 * burnt);
            report.Metrics["Call p50"].Value.Should().BeGreaterThan(0.98 * burnt);
            if (OperatingSystem.IsLinux())
            {
                report.Metrics["TaskClock/Op"].Value.Should().BeInRange(0.98 * burnt, 2 * burnt);
            }
        }
    }
}
