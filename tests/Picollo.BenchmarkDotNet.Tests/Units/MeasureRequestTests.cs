using BenchmarkDotNet.Configs;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.BenchmarkDotNet.Reports;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Units;

public sealed class MeasureRequestTests
{
    [Fact]
    public void Sets_are_merged_in_order_without_duplicates()
    {
        MeasureRequest request = MeasureRequest.FromSets(
            [new([PerfHardwareCounterId.BranchMisses, PicolloMeasure.CpuUsage]), new([PerfHardwareCounterId.Instructions, PerfHardwareCounterId.BranchMisses])],
            isAwaited: false);
        request.Counters.Select(counter => counter.Name).Should().Equal("BranchMisses", "Instructions");
        (request.CpuUsage, request.HasInvocations, request.IncludeKernel, request.AllThreads, request.IsEmpty).Should().Be((true, false, false, false, false));
    }

    [Fact]
    public void Options_of_one_set_apply_to_all_sets()
    {
        MeasureRequest request = MeasureRequest.FromSets([new([], IncludeKernel: true), new([], AllThreads: true), new([])], isAwaited: false);
        (request.IncludeKernel, request.AllThreads, request.IsEmpty).Should().Be((true, true, true), "options without counters request nothing");
        MeasureRequest.FromSets([new([PicolloMeasure.HdrPercentiles])], isAwaited: false).IsEmpty.Should().BeFalse();
    }

    [Fact]
    public void The_last_call_applies_instead_of_the_attributes()
    {
        MeasureSet attribute = MeasureColumns.GetSets(
            new PerfCountersAttribute(PerfSoftwareCounterId.PageFaults) { IncludeKernel = true, CountAllThreads = true }.Config).Single();
        ManualConfig config = ManualConfig.CreateEmpty().WithPicolloCounters(includeKernel: false).WithPicolloCounters(countAllThreads: true);

        MeasureRequest request = MeasureRequest.FromSets([.. MeasureColumns.GetSets(config), attribute], isAwaited: false);
        (request.IncludeKernel, request.AllThreads).Should().Be((false, true));

        config.WithPicolloCounters(includeKernel: true, countAllThreads: false);
        request = MeasureRequest.FromSets([.. MeasureColumns.GetSets(config), attribute], isAwaited: false);
        (request.IncludeKernel, request.AllThreads).Should().Be((true, false));
        MeasureRequest.FromSets(MeasureColumns.GetSets(config), isAwaited: true).AllThreads.Should().BeTrue("an awaited benchmark is always counted on all threads");
    }

    [Fact]
    public void Counters_keep_their_kinds_and_numbers()
    {
        MeasureRequest.FromSets(
            [new([PerfHardwareCounterId.RefCpuCycles, PerfCacheCounterId.L1DReadMiss, PerfSoftwareCounterId.TaskClock, PicolloMeasure.CreateNamedCounter("cpu/event=0x2e/"), PicolloMeasure.CreateNamedCounter("sched:sched_switch"), PicolloMeasure.CreateRawCounter(4, 0x412e, "mine")])],
            isAwaited: false).Counters.Should().Equal(
                new BenchmarkCounter("RefCpuCycles", Hardware: PerfHardwareCounterId.RefCpuCycles),
                new BenchmarkCounter("L1DReadMiss", Cache: PerfCacheCounterId.L1DReadMiss),
                new BenchmarkCounter("TaskClock", Software: PerfSoftwareCounterId.TaskClock),
                new BenchmarkCounter("cpu/event=0x2e/"),
                new BenchmarkCounter("sched:sched_switch"),
                new BenchmarkCounter("mine", Type: 4, Config: 0x412e));
    }

    [Fact]
    public void Attributes_request_their_measures()
    {
        MeasureSet counters = MeasureColumns.GetSets(new PerfCountersAttribute(PerfCacheCounterId.L1DReadMiss) { IncludeKernel = true, CountAllThreads = true }.Config).Single();
        counters.Measures.Select(measure => measure.Counter).Should().Equal(new BenchmarkCounter("L1DReadMiss", Cache: PerfCacheCounterId.L1DReadMiss));
        counters.Should().BeEquivalentTo(new { IncludeKernel = true, AllThreads = true, RequiresCounter = true });
        MeasureColumns.GetSets(new PerfCountersAttribute(PerfCacheCounterId.L1DReadMiss) { CountAllThreads = true }.Config).Single().IncludeKernel.Should().BeNull();
        MeasureColumns.GetSets(new CpuUsageDiagnoserAttribute().Config).Single().Should().BeEquivalentTo(new { Measures = new[] { PicolloMeasure.CpuUsage }, IncludeKernel = (bool?)null, AllThreads = (bool?)null, RequiresCounter = false });
        MeasureColumns.GetSets(new HdrPercentilesAttribute().Config).Single().Measures.Single().Ranks.Should().Equal(50, 90, 99, 99.9);
        MeasureColumns.GetSets(new HdrPercentilesAttribute(95, 99.99).Config).Single().Measures.Single().Ranks.Should().Equal(95, 99.99);
    }
}
