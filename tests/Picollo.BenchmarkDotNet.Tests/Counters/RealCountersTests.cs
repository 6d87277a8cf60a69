using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using Picollo.BenchmarkDotNet.Tests.Runs;
using Picollo.BenchmarkDotNet.Tests.Workloads;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Counters;

public sealed class RealCountersRun() : BenchmarkRun(
    ManualConfig.CreateEmpty().AddJob(Counted().WithInvocationCount(32)),
    typeof(KernelFaultsCounted), typeof(KernelFaultsNotCounted), typeof(ChainWorkload));

/// <summary>Software counters, and hardware counters if they are available.</summary>
[Trait("Category", "Slow")]
public sealed class RealCountersTests(RealCountersRun run) : IClassFixture<RealCountersRun>
{
    [FactNeeding(Need.Linux)]
    public void Kernel_code_is_counted_if_requested_and_permitted()
    {
        const string Benchmark = nameof(KernelFaults.ReadsIntoPages);
        run.Of<KernelFaultsNotCounted>().Value(Benchmark, "PageFaults/Op").Should().BeLessThan(KernelFaults.Pages / 2.0);
        if (PerfEventCounterSession.Factory.WithKernel(true).WithSoftwareCounter(PerfSoftwareCounterId.PageFaults).TryCreate(out PerfEventCounterSession? session, out MeasurementUnavailableException? failure))
        {
            session.Dispose();
            run.Of<KernelFaultsCounted>().Value(Benchmark, "PageFaults/Op")
                .Should().BeInRange(KernelFaults.Pages, KernelFaults.Pages * 1.2);
            return;
        }

        run.Of<KernelFaultsCounted>().Messages().Should().ContainSingle().Which.Should().Contain(failure.Message.Replace("Software:PageFaults: ", "", StringComparison.Ordinal));
    }

    [Fact]
    public void Instructions_of_a_known_workload_are_counted_or_reported_as_unavailable()
    {
        if (PerfEventCounterSession.Factory.WithHardwareCounter(PerfHardwareCounterId.Instructions).TryCreate(out PerfEventCounterSession? session, out MeasurementUnavailableException? failure))
        {
            session.Dispose();
            run.Of<ChainWorkload>().Value(nameof(ChainWorkload.Chain), "Instructions/Op").Should().BeInRange(256 * ChainWorkload.Rounds, 260 * ChainWorkload.Rounds);
            return;
        }

        run.Of<ChainWorkload>().Messages().Should().ContainSingle().Which.Should().StartWith("Not counted: Hardware:Instructions: ")
            .And.Contain(failure.Message.Replace("Hardware:Instructions: ", "", StringComparison.Ordinal));
        run.Of<ChainWorkload>().Reports.Select(report => report.Success).Should().AllBeEquivalentTo(true);
        run.Of<ChainWorkload>().Headers().Should().BeEmpty();
    }
}
