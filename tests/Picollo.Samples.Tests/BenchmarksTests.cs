using System.Reflection;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using Picollo.PerfEvent;
using Picollo.Samples.Benchmarks;

namespace Picollo.Samples.Tests;

/// <summary>Runs each class of benchmarks once in this process, and checks that it has the columns that its comment describes. The package's own
/// tests check the values.</summary>
public sealed class BenchmarksTests
{
    private static readonly string[] CpuUsage = ["CPU/Op"];
    private static readonly string[] Percentiles = ["Calls", "Call mean", "Call p50", "Call p90", "Call p99", "Call p99.9", "Call max"];

    public static TheoryData<Type, string[]> Classes => new()
    {
        { typeof(Aggregation), [.. SoftwareCounters("TaskClock/Op"), .. CpuUsage, .. Percentiles] },
        { typeof(Allocation), ["Allocated", .. Percentiles] },
        { typeof(Asynchrony), [.. SoftwareCounters("TaskClock/Op"), .. CpuUsage, .. Percentiles] },
        { typeof(LockContention), [.. SoftwareCounters(Needs.WhyNot(Need.KernelCounters) is null ? ["TaskClock/Op", "ContextSwitches/Op"] : ["TaskClock/Op"]), .. CpuUsage] },
    };

    [Theory]
    [Trait("Category", "Slow")]
    [MemberData(nameof(Classes))]
    public void Every_class_of_benchmarks_runs_and_has_its_columns(Type benchmarks, string[] columns)
    {
        string folder = Directory.CreateTempSubdirectory("picollo-benchmarks-").FullName;
        try
        {
            Summary summary = BenchmarkRunner.Run(benchmarks, ManualConfig.CreateEmpty()
                .AddJob(Job.Dry.WithToolchain(InProcessEmitToolchain.Instance))
                .AddLogger(NullLogger.Instance)
                .AddColumnProvider(DefaultColumnProviders.Instance)
                .WithArtifactsPath(folder)
                .WithOptions(ConfigOptions.DisableOptimizationsValidator));

            summary.HasCriticalValidationErrors.Should().BeFalse(string.Join('\n', summary.ValidationErrors.Select(error => error.Message)));
            summary.Reports.Should().NotBeEmpty().And.OnlyContain(report => report.Success);
            summary.Table.FullHeader.Should().ContainInOrder(columns);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void All_classes_of_benchmarks_are_tested() => typeof(Aggregation).Assembly.GetTypes()
        .Where(type => type.GetMethods().Any(method => method.IsDefined(typeof(BenchmarkAttribute))))
        .Should().BeEquivalentTo(Classes.Select(one => one[0]));

    /// <summary>Returns the columns, or none if software counters are unavailable.</summary>
    private static string[] SoftwareCounters(params string[] columns)
    {
        if (!PerfEventCounterSession.Factory.WithSoftwareCounter(PerfSoftwareCounterId.TaskClock).TryCreate(out PerfEventCounterSession? session, out _))
        {
            return [];
        }

        session.Dispose();
        return columns;
    }
}
