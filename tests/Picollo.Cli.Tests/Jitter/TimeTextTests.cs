using Picollo.Cli.Jitter;

namespace Picollo.Cli.Tests.Jitter;

public class TimeTextTests
{
    [Fact]
    public void A_time_is_a_number_with_a_unit_or_without()
    {
        foreach ((string text, string unit, long nanoseconds) in ((string, string, long)[])
        [
            ("5", "s", 5_000_000_000), ("5", "us", 5_000), ("500", "ns", 500), ("5s", "us", 5_000_000_000), ("2m", "s", 120_000_000_000),
            ("1h", "s", 3_600_000_000_000),
            ("1D", "s", 86_400_000_000_000), ("250us", "ns", 250_000), ("250µs", "ns", 250_000), ("0.5ms", "ns", 500_000),
            ("1.5", "us", 1_500),
        ])
        {
            (TimeText.Parse(text, unit)!.Value.Ticks * TimeSpan.NanosecondsPerTick).Should().Be(nanoseconds, text);
        }

        // 150 ns is not a multiple of 100 ns.
        string[] invalid = ["", "s", "-5", "+5", "5 s", "5w", "1.2.3s", "1e3", "0", "150ns", "99999999999d", "99999999999999999999999999999999999999s"];
        invalid.Should().OnlyContain(text => TimeText.Parse(text, "s") == null);
    }
}
