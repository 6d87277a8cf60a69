using Picollo.BenchmarkDotNet.Measures;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Config;

/// <summary>Messages about a request before a run.</summary>
public sealed class ProblemsTests
{
    [Theory]
    [InlineData(1, true)]
    [InlineData(2, true)]
    [InlineData(3, false)]
    [InlineData(null, false)]
    public void More_hardware_counters_than_the_CPU_has_are_reported(int? pmuCounters, bool expected)
    {
        MeasureSet set = new([PerfHardwareCounterId.Instructions, PerfCacheCounterId.L1DReadMiss, PicolloMeasure.CreateNamedCounter("cpu/event=1/"), PerfSoftwareCounterId.PageFaults, PicolloMeasure.CreateNamedCounter("sched:sched_switch")]);
        PicolloDiagnoser.Problems([set], _ => [], (uint?)pmuCounters).Should().Equal(expected
            ? [$"3 hardware counters are requested, but the CPU has {pmuCounters}: they are multiplexed, and their counts are scaled."]
            : []);
    }

    [Fact]
    public void Null_measures_are_ignored()
    {
        MeasureRequest request = MeasureRequest.FromSets([new([null!, PerfSoftwareCounterId.PageFaults])], isAwaited: false);
        request.Counters.Should().ContainSingle();
        PicolloDiagnoser.Problems([new([null!], RequiresCounter: true)], _ => [], null).Should().ContainSingle().Which.Should().Match(BadInputTests.NoCounterMessage);
    }
}
