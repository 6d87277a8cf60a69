using System.Diagnostics;
using System.Numerics;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class ScopeTests
{
    private const int SleepMilliseconds = 20;

    // An hour is longer than any test run, even on a busy machine.
    private const ulong ImplausibleSeconds = 3_600;

    [Theory]
    [InlineData("tick")]
    [InlineData("nano")]
    [InlineData("micro")]
    [InlineData("milli")]
    [InlineData("pico")]
    public void A_scope_records_the_duration_of_its_block_in_its_unit(string unit)
    {
        InterlockedHdrHistogram<uint> histogram = HdrHistogram.Factory.WithInterlocked().Create();
        long start = Stopwatch.GetTimestamp();
        using (Scope(histogram, unit))
        {
            histogram.TotalCount.Should().Be(0, "a scope records at its end");
            Thread.Sleep(SleepMilliseconds);
        }

        long around = Stopwatch.GetTimestamp() - start;
        ulong second = OneSecond(unit);
        ulong slept = second * SleepMilliseconds / 1_000;
        histogram.TotalCount.Should().Be(1);
        Bucket bucket = histogram.BucketsWithValues.Single();
        (bucket.Start + bucket.Step).Should().BeGreaterThan(slept - (slept / 100), "it slept for this time, within the timer's resolution");
        UInt128 surrounding = (UInt128)around * second / (ulong)Stopwatch.Frequency;
        bucket.Start.Should().BeLessThanOrEqualTo((ulong)(surrounding + (surrounding / 100)), "it cannot be longer than the surrounding interval")
            .And.BeLessThan(ImplausibleSeconds * second);
    }

    [Fact]
    public void A_scope_created_by_its_constructor_records_once()
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Create();
        var nano = new NanoScope(histogram);
        var tick = new TickScope(histogram);
        var micro = new MicroScope(histogram);
        var milli = new MilliScope(histogram);
        var pico = new PicoScope(histogram);
        ulong elapsed = nano.ElapsedNanos;
        nano.ElapsedNanos.Should().BeGreaterThanOrEqualTo(elapsed);
        for (int i = 0; i < 2; i++)
        {
            nano.Dispose();
            tick.Dispose();
            micro.Dispose();
            milli.Dispose();
            pico.Dispose();
        }

        histogram.TotalCount.Should().Be(5);
        TickScope.OneSecondValue.Should().Be((ulong)Stopwatch.Frequency);
        NanoScope.TicksToNanos(stopwatchTicks: (ulong)Stopwatch.Frequency).Should().Be(NanoScope.OneSecondValue);
        NanoScope.TicksToNanos(ulong.MaxValue).Should().Be(NanoScope.TicksToNanos(long.MaxValue));
    }

    [Fact]
    public async Task Scopes_work_across_await_on_other_threads()
    {
        ThreadLocalHdrHistogram<uint> histogram = HdrHistogram.Factory.WithThreadLocal().Create();
        async Task Work()
        {
            using (histogram.GetNanoScope())
            using (histogram.GetTickScope())
            using (histogram.GetMicroScope())
            using (histogram.GetMilliScope())
            using (histogram.GetPicoScope())
            {
                await Task.Yield();
                await Task.Delay(1).ConfigureAwait(false);
            }
        }

        await Task.WhenAll(Enumerable.Range(0, 100).Select(_ => Work()));

        histogram.TotalCount.Should().Be(500);
        histogram.GetCountBetween(900_000, ulong.MaxValue).Should().BeGreaterThanOrEqualTo(200, "nanoseconds and picoseconds of a delay of a millisecond");
    }

    [Fact]
    public void Default_scopes_record_nothing_and_do_not_throw() => FluentActions.Invoking(() =>
    {
        using (default(TickScope))
        using (default(NanoScope))
        using (default(MicroScope))
        using (default(MilliScope))
        using (default(PicoScope))
        {
        }
    }).Should().NotThrow();

    [Fact]
    public void ElapsedNanos_converts_the_ticks_of_the_stopwatch()
    {
        Stopwatch stopwatch = Stopwatch.StartNew();
        Thread.Sleep(1);
        stopwatch.Stop();

        stopwatch.ElapsedNanos.Should().Be(NanoScope.TicksToNanos(stopwatch.ElapsedTicks)).And.BePositive();
        new Stopwatch().ElapsedNanos.Should().Be(0);
        FluentActions.Invoking(() => ((Stopwatch)null!).ElapsedNanos).Should().Throw<ArgumentNullException>().WithParameterName("stopwatch");
    }

    private static ulong OneSecond(string unit) => unit switch
    {
        "tick" => (ulong)Stopwatch.Frequency,
        "nano" => NanoScope.OneSecondValue,
        "micro" => MicroScope.OneSecondValue,
        "pico" => PicoScope.OneSecondValue,
        _ => MilliScope.OneSecondValue,
    };

    internal static IDisposable Scope(HdrHistogram histogram, string unit) => unit switch
    {
        "tick" => histogram.GetTickScope(),
        "nano" => histogram.GetNanoScope(),
        "micro" => histogram.GetMicroScope(),
        "pico" => histogram.GetPicoScope(),
        _ => histogram.GetMilliScope(),
    };

    private const ulong Nanos = 1_000_000_000;

    // 1 Hz, odd frequencies, Windows, an ACPI timer, a CPU, Linux, and a frequency above 1 GHz.
    private static readonly ulong[] Frequencies =
        [1, 3, 1_000, 32_768, 3_312_649, 3_579_545, 10_000_000, 24_000_000, 1_000_000_000, 2_899_999_871, 3_000_000_000, 10_000_000_000];

    private static readonly ulong[] Units = [1_000, 1_000_000, Nanos, 1_000_000_000_000];

    [Fact]
    public void A_conversion_is_exact_and_rounded_down_at_any_frequency() => Seeded.Run(30_000, random => ShouldBeExact(
        (long)((random.Next(2) == 0 ? random.NextMagnitude() : Values.Edges[random.Next(Values.Edges.Count)]) >> 1),
        Units[random.Next(Units.Length)],
        random.Next(2) == 0 ? random.NextBetween(1, 20_000_000_000) : Frequencies[random.Next(Frequencies.Length)]));

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
