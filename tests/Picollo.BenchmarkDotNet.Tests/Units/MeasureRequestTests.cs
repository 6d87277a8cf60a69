using Picollo.BenchmarkDotNet.Exchange;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Units;

public sealed class MeasureRequestTests
{
    [Fact]
    public void Sets_add_up_in_order_each_counter_once()
    {
        MeasureRequest request = MeasureRequest.Of(
            [new([PerfHardwareCounterId.BranchMisses, PicolloMeasure.CpuUsage]), new([PerfHardwareCounterId.Instructions, PerfHardwareCounterId.BranchMisses])],
            isAwaited: false);
        request.Counters.Select(counter => counter.Name).Should().Equal("BranchMisses", "Instructions");
        (request.CpuUsage, request.HdrPercentiles, request.IncludeKernel, request.AllThreads, request.IsEmpty).Should().Be((true, false, false, false, false));
    }

    [Fact]
    public void One_set_decides_for_the_kernel_and_for_threads()
    {
        MeasureRequest request = MeasureRequest.Of([new([PicolloMeasure.IncludeKernel]), new([PicolloMeasure.AllThreads]), new([])], isAwaited: false);
        (request.IncludeKernel, request.AllThreads, request.IsEmpty).Should().Be((true, true, true), "how to count is nothing to count");
        MeasureRequest.Of([new([PicolloMeasure.HdrPercentiles])], isAwaited: false).IsEmpty.Should().BeFalse();
    }

    [Fact]
    public void What_is_awaited_goes_on_on_any_thread() => MeasureRequest.Of([], isAwaited: true).AllThreads.Should().BeTrue();

    [Fact]
    public void Counters_keep_their_kinds_and_numbers()
    {
        MeasureRequest.Of(
            [new([PerfHardwareCounterId.RefCpuCycles, PerfCacheCounterId.L1DReadMiss, PerfSoftwareCounterId.TaskClock, "cpu/event=0x2e/", "sched:sched_switch", PicolloMeasure.Raw(4, 0x412e, "mine")])],
            isAwaited: false).Counters.Should().Equal(
                new BenchmarkCounter(CounterKind.Hardware, "RefCpuCycles", Config: (ulong)PerfHardwareCounterId.RefCpuCycles),
                new BenchmarkCounter(CounterKind.Cache, "L1DReadMiss", Config: (ulong)PerfCacheCounterId.L1DReadMiss),
                new BenchmarkCounter(CounterKind.Software, "TaskClock", Config: (ulong)PerfSoftwareCounterId.TaskClock),
                new BenchmarkCounter(CounterKind.Named, "cpu/event=0x2e/"),
                new BenchmarkCounter(CounterKind.Named, "sched:sched_switch"),
                new BenchmarkCounter(CounterKind.Raw, "mine", Type: 4, Config: 0x412e));
    }

    [Fact]
    public void Attributes_ask_for_what_they_name()
    {
        MeasureSet.Of(new PerfCountersAttribute(PerfCacheCounterId.L1DReadMiss) { IncludeKernel = true, AllThreads = true }.Config).Single().Measures
            .Should().HaveCount(3).And.Contain(PicolloMeasure.IncludeKernel).And.Contain(PicolloMeasure.AllThreads);
        MeasureSet.Of(new CpuUsageDiagnoserAttribute().Config).Single().Should().BeEquivalentTo(new { Measures = new[] { PicolloMeasure.CpuUsage }, IsOfCounters = false });
        MeasureSet.Of(new HdrPercentilesAttribute().Config).Single().Measures.Should().Equal(PicolloMeasure.HdrPercentiles);
    }
}
