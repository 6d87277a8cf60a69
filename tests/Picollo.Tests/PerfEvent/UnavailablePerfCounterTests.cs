using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

public class UnavailablePerfCounterTests
{
    [Fact]
    public void Counters_with_the_same_reason_share_one_text()
    {
        UnavailableCounterText.Describe(
        [
            new("Hardware:Instructions", "Hardware:Instructions: kernel.perf_event_paranoid is 3."),
            new("Software:PageFaults", "no such thing"),
            new("Hardware:CpuCycles", "Hardware:CpuCycles: kernel.perf_event_paranoid is 3."),
        ]).Should().Equal(
            "Hardware:Instructions, Hardware:CpuCycles: kernel.perf_event_paranoid is 3.",
            "Software:PageFaults: no such thing");
        UnavailableCounterText.Describe([]).Should().BeEmpty();
    }
}
