using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

public class UnavailableCounterTextTests
{
    [Fact]
    public void Counters_with_the_same_reason_share_one_text()
    {
        UnavailableCounterText.Describe(
        [
            Unavailable("Hardware:Instructions", "Hardware:Instructions: kernel.perf_event_paranoid is 3."),
            Unavailable("Software:PageFaults", "no such thing"),
            Unavailable("Hardware:CpuCycles", "Hardware:CpuCycles: kernel.perf_event_paranoid is 3."),
        ]).Should().Equal(
            "Hardware:Instructions, Hardware:CpuCycles: kernel.perf_event_paranoid is 3.",
            "Software:PageFaults: no such thing");
        UnavailableCounterText.Describe([]).Should().BeEmpty();
    }

    private static KeyValuePair<string, MeasurementUnavailableException> Unavailable(string name, string reason) =>
        new(name, new MeasurementUnavailableException(reason, MeasurementUnavailableCause.Unknown));
}
