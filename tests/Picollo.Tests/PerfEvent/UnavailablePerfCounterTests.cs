using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

public class UnavailablePerfCounterTests
{
    [Fact]
    public void One_text_says_why_for_all_counters_of_the_same_reason()
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
