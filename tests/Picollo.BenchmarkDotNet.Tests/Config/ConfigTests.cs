using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.NoEmit;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Tests.Runs;
using Picollo.BenchmarkDotNet.Tests.Workloads;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Config;

/// <summary>Sources of measures, and their lack of side effects.</summary>
public sealed class ConfigTests
{
    private static ManualConfig InThisProcess => ManualConfig.CreateEmpty().AddJob(BenchmarkRun.Counted());

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Measures_of_attributes_and_configurations_are_combined()
    {
        using BenchmarkRun run = new(
            ManualConfig.CreateEmpty().AddJob(BenchmarkRun.Counted(InProcessNoEmitToolchain.Instance))
                .AddPicollo(PerfSoftwareCounterId.MinorPageFaults).AddPicollo(PicolloMeasure.HdrPercentiles),
            typeof(MergedWorkloads));

        string[] always = ["TaskClock/Op", "CPU/Op", "Calls", "Call mean", "Call p50", "Call p90", "Call p99", "Call p99.9", "Call max"];
        string[] ifAny =
        [
            "PageFaults/Op", "MajorPageFaults/Op", "EmulationFaults/Op", "MinorPageFaults/Op", "CPU/Wall",
            "VoluntarySwitches/Op", "InvoluntarySwitches/Op",
        ];
        run.Summary.Headers().Should().Contain(always).And.BeSubsetOf([.. always, .. ifAny]);
        run.Summary.Reports.Single().Metrics.Keys.Should().Contain(ifAny.Except(["CPU/Wall"]), "metrics exist even if no column shows them");
        run.Summary.Messages().Should().BeEmpty();
    }

    [Fact]
    public void A_manual_configuration_is_changed_and_the_default_one_is_copied()
    {
        ManualConfig manual = ManualConfig.CreateEmpty();
        manual.AddPicollo(PicolloMeasure.CpuUsage).Should().BeSameAs(manual);
        manual.GetDiagnosers().Should().ContainSingle();

        ManualConfig copy = DefaultConfig.Instance.AddPicollo(PicolloMeasure.CpuUsage, PerfHardwareCounterId.Instructions, PicolloMeasure.CreateNamedCounter("sched:sched_switch"));
        DefaultConfig.Instance.GetDiagnosers().Should().BeEmpty();
        DefaultConfig.Instance.GetJobs().Should().BeEmpty();
        copy.GetExporters().Should().Equal(DefaultConfig.Instance.GetExporters());
        MeasureColumns.GetSets(copy).Single().Measures.Should().HaveCount(3);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Without_measures_the_default_engine_is_used()
    {
        RecordedEngines.Clear();
        using BenchmarkRun run = new(InThisProcess.WithPicolloCounters(includeKernel: true, countAllThreads: true), typeof(PlainWorkload));

        RecordedEngines.Engines.Should().Equal("Engine");
        RecordedEngines.Files.Should().Equal([null]);
        BenchmarkCase benchmark = run.Summary.BenchmarksCases.Single();
        benchmark.Config.GetDiagnosers().OfType<PicolloDiagnoser>().Single().GetRunMode(benchmark).Should().Be(global::BenchmarkDotNet.Diagnosers.RunMode.None);
        run.Summary.Headers().Should().BeEmpty();
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Measures_do_not_change_the_number_of_calls()
    {
        var plain = Counts(InThisProcess);
        plain.Calls.Should().BePositive();
        Counts(InThisProcess.AddPicollo(PicolloMeasure.CpuUsage, PerfSoftwareCounterId.PageFaults)).Should().Be(plain)
            .And.Be((1, 1, plain.Calls));
        var invoked = Counts(InThisProcess.AddPicollo(PicolloMeasure.HdrPercentiles));
        (invoked.SetUps, invoked.CleanUps).Should().Be((1, 1));
        invoked.Calls.Should().BeGreaterThan(plain.Calls);

        static (int SetUps, int CleanUps, int Calls) Counts(IConfig config)
        {
            PlainWorkload.Clear();
            using BenchmarkRun run = new(config, typeof(PlainWorkload));
            return PlainWorkload.Counts;
        }
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void A_benchmark_that_throws_has_no_measures_and_does_not_affect_others()
    {
        RecordedEngines.Clear();
        using BenchmarkRun run = new(InThisProcess, typeof(ThrowingWorkloads));

        run.Summary.Reports.Select(report => (report.BenchmarkCase.Descriptor.WorkloadMethod.Name, report.Success, IsMeasured: report.Metrics.ContainsKey("Call max"))).Should().Equal(
            (nameof(ThrowingWorkloads.ThrowsAtOnce), false, false), (nameof(ThrowingWorkloads.ThrowsLater), false, false), (nameof(ThrowingWorkloads.Works), true, true));
        RecordedEngines.Files.Should().HaveCount(3).And.OnlyHaveUniqueItems();
        RecordedEngines.Files.Should().NotContain(file => File.Exists(file));
        Environment.GetEnvironmentVariable(ExchangeFile.Variable).Should().BeNull();
    }
}
