using System.Diagnostics;
using System.Numerics;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class StopwatchTicksTests
{
    private const ulong Nanos = 1_000_000_000;

    // 1 Hz, odd frequencies, Windows, an ACPI timer, a CPU, Linux, and a frequency above 1 GHz.
    private static readonly ulong[] Frequencies =
        [1, 3, 1_000, 32_768, 3_312_649, 3_579_545, 10_000_000, 24_000_000, 1_000_000_000, 2_899_999_871, 3_000_000_000, 10_000_000_000];

    private static readonly ulong[] Units = [1_000, 1_000_000, Nanos, 1_000_000_000_000];

    [Fact]
    public void A_conversion_is_exact_and_rounded_down_at_any_frequency()
    {
        foreach (ulong frequency in Frequencies)
        {
            foreach (ulong units in Units)
            {
                foreach (ulong ticks in Values.Edges.Where(value => value <= long.MaxValue))
                {
                    ShouldBeExact((long)ticks, units, frequency);
                }
            }
        }
    }

    [Fact]
    public void A_conversion_of_any_interval_is_exact() => Seeded.Run(20_000, random =>
        ShouldBeExact(
            (long)(random.NextMagnitude() >> 1), Units[random.Next(Units.Length)], random.NextBetween(1, 20_000_000_000)));

    [Theory]
    [InlineData(18_446_744_073)] // a 64-bit product with 10^9 overflows at 18.4 s
    [InlineData(18_446_744_074)]
    [InlineData(100_000_000_000)]
    [InlineData(long.MaxValue)]
    public void Nanoseconds_do_not_overflow_at_18_seconds(long ticks)
    {
        // Failure mode 4 of earlier implementations.
        ShouldBeExact(ticks, Nanos, 999_999_999);
        ShouldBeExact(ticks, Nanos, 1_000_000_000);
        ShouldBeExact(ticks, Nanos, 10_000_000);
    }

    [Fact]
    public void A_result_that_does_not_fit_is_the_largest_value()
    {
        StopwatchTicks.Convert(long.MaxValue, Nanos, 10_000_000).Should().Be(ulong.MaxValue);
        StopwatchTicks.Convert(long.MaxValue, Nanos, 3_312_649).Should().Be(ulong.MaxValue);
        StopwatchTicks.Convert(184_467_440_737_095_516, Nanos, 10_000_000).Should().Be(18_446_744_073_709_551_600);
        StopwatchTicks.Convert(184_467_440_737_095_517, Nanos, 10_000_000).Should().Be(ulong.MaxValue);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    public void Zero_and_negative_ticks_give_0(long ticks)
    {
        foreach (ulong frequency in Frequencies)
        {
            StopwatchTicks.Convert(ticks, Nanos, frequency).Should().Be(0);
        }

        NanoScope.TicksToNanos(ticks).Should().Be(0);
        MicroScope.TicksToMicros(ticks).Should().Be(0);
        MilliScope.TicksToMillis(ticks).Should().Be(0);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(999_999)]
    [InlineData(123_456_789_012_345)]
    [InlineData(long.MaxValue)]
    public void Scopes_convert_with_the_frequency_of_the_machine(long ticks)
    {
        NanoScope.TicksToNanos(ticks).Should().Be(Exact(ticks, Nanos, (ulong)Stopwatch.Frequency));
        MicroScope.TicksToMicros(ticks).Should().Be(Exact(ticks, 1_000_000, (ulong)Stopwatch.Frequency));
        MilliScope.TicksToMillis(ticks).Should().Be(Exact(ticks, 1_000, (ulong)Stopwatch.Frequency));
    }

    private static void ShouldBeExact(long ticks, ulong units, ulong frequency)
    {
        ulong actual = StopwatchTicks.Convert(ticks, units, frequency);
        ulong expected = Exact(ticks, units, frequency);
        if (actual != expected)
        {
            Assert.Fail($"{ticks} ticks at {frequency} per second are {expected} units at {units} per second, not {actual}.");
        }
    }

    private static ulong Exact(long ticks, ulong units, ulong frequency)
    {
        BigInteger exact = (BigInteger)ticks * units / frequency;
        return exact > ulong.MaxValue ? ulong.MaxValue : (ulong)exact;
    }
}
