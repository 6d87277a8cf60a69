using Picollo.Cli.Jitter;

namespace Picollo.Cli.Tests.Jitter;

public class TimeTextTests
{
    [Theory]
    [InlineData("5", "s", 5_000_000_000)]
    [InlineData("5", "us", 5_000)]
    [InlineData("500", "ns", 500)]
    [InlineData("5s", "us", 5_000_000_000)]
    [InlineData("2m", "s", 120_000_000_000)]
    [InlineData("1h", "s", 3_600_000_000_000)]
    [InlineData("1D", "s", 86_400_000_000_000)]
    [InlineData("250us", "ns", 250_000)]
    [InlineData("250µs", "ns", 250_000)]
    [InlineData("0.5ms", "ns", 500_000)]
    [InlineData("1.5", "us", 1_500)]
    public void A_time_is_a_number_with_a_unit_or_without(string text, string unit, long nanoseconds) =>
        (TimeText.Parse(text, unit)!.Value.Ticks * TimeSpan.NanosecondsPerTick).Should().Be(nanoseconds);

    [Theory]
    [InlineData("")]
    [InlineData("s")]
    [InlineData("-5")]
    [InlineData("+5")]
    [InlineData("5 s")]
    [InlineData("5w")]
    [InlineData("1.2.3s")]
    [InlineData("1e3")]
    [InlineData("0")]
    [InlineData("150ns")] // not a multiple of 100 ns
    [InlineData("99999999999d")]
    [InlineData("99999999999999999999999999999999999999s")]
    public void Invalid_times_are_rejected(string text) => TimeText.Parse(text, "s").Should().BeNull();
}
