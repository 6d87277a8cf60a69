using System.Diagnostics;
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
    public void A_scope_records_when_an_exception_leaves_it()
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Create();

        FluentActions.Invoking(() =>
        {
            using (histogram.GetNanoScope())
            {
                throw new InvalidOperationException();
            }
        }).Should().Throw<InvalidOperationException>();

        histogram.TotalCount.Should().Be(1);
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
    public void A_null_stopwatch_is_rejected() => FluentActions.Invoking(() => ((Stopwatch)null!).ElapsedNanos)
        .Should().Throw<ArgumentNullException>().WithParameterName("stopwatch");

    [Fact]
    public void One_second_is_a_constant_of_the_unit()
    {
        const ulong Nano = NanoScope.OneSecondValue;
        const ulong Micro = MicroScope.OneSecondValue;
        const ulong Milli = MilliScope.OneSecondValue;

        const ulong Pico = PicoScope.OneSecondValue;

        (Pico, Nano, Micro, Milli).Should().Be((1_000_000_000_000, 1_000_000_000, 1_000_000, 1_000));
    }

    [Fact]
    public void ElapsedNanos_converts_the_ticks_of_the_stopwatch()
    {
        Stopwatch stopwatch = Stopwatch.StartNew();
        Thread.Sleep(1);
        stopwatch.Stop();

        stopwatch.ElapsedNanos.Should().Be(NanoScope.TicksToNanos(stopwatch.ElapsedTicks)).And.BePositive();
        new Stopwatch().ElapsedNanos.Should().Be(0);
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
}
