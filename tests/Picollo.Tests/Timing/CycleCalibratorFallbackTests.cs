using Picollo.Timing;

namespace Picollo.Tests.Timing;

/// <summary>Tests of counters that are rejected at the start, and of the clock without a counter.</summary>
public class CycleCalibratorFallbackTests
{
    [Fact]
    public void A_clock_that_is_too_slow_for_the_calibration_is_reported() =>
        ReasonFor(new FakeMachine(3_000_000_000) { ClockReadPicoseconds = 20 * FakeMachine.PerMicrosecond })
            .Should().Contain("could not be calibrated to 100 ppm within 32000 µs");

    [Fact]
    [Trait("Category", "Slow")]
    public void A_clock_that_does_not_advance_is_reported() =>
        ReasonFor(new FakeMachine(3_000_000_000) { IsClockStuck = true }).Should().Contain("the monotonic clock did not advance");

    [Fact]
    public void A_clock_that_stops_during_the_calibration_is_reported()
    {
        var machine = new FakeMachine(3_000_000_000);
        int counterReads = 0;
        machine.OnCounterRead = () => machine.IsClockStuck |= ++counterReads == 3 * CycleClockPolicy.SampleAttempts;

        ReasonFor(machine).Should().Contain("the monotonic clock did not advance");
        machine.Reads.Should().BeInRange(CycleClockPolicy.StuckClockReads, CycleClockPolicy.StuckClockReads + 100);
    }

    [Theory]
    [InlineData(0, 1_000_000_000, "could not be calibrated")]
    [InlineData(-3_000_000_000, 1_000_000_000, "stepped back")]
    [InlineData(900_000, 10_000, "not between 1 MHz and 100 GHz")]
    [InlineData(200_000_000_000, 1_000_000_000, "not between 1 MHz and 100 GHz")]
    public void A_counter_with_an_impossible_rate_is_rejected(long counterFrequency, long clockFrequency, string reason) =>
        ReasonFor(new FakeMachine(counterFrequency, clockFrequency)).Should().Contain(reason);

    [Theory]
    [InlineData(-1_000_000_000)]
    [InlineData(CycleCalibrator.ClockMark / 2 + 1)]
    public void A_counter_outside_the_range_of_timestamps_is_rejected(long counter)
    {
        var machine = new FakeMachine(3_000_000_000);
        machine.SetCounter(counter);

        ReasonFor(machine).Should().Contain("outside the range");
    }

    [Theory]
    [InlineData(1_000_000_000)]
    [InlineData(10_000_000)]
    [InlineData(24_000_000)]
    public void Without_a_counter_intervals_are_measured_with_the_clock(long clockFrequency)
    {
        var machine = new FakeMachine(3_000_000_000, clockFrequency);
        CycleCalibrator calibrator = CycleCalibrator.ForClock(machine, "there is none");

        calibrator.IsCounter.Should().BeFalse();
        calibrator.UnavailableReason.Should().Be("there is none");
        TickRatio.ToFrequency(calibrator.Multiplier).Should().BeApproximately(clockFrequency, 1e-3);
        calibrator.TryGetElapsedPicoseconds(-7, clockFrequency - 7, out ulong second).Should().BeTrue();
        second.Should().BeInRange((ulong)FakeMachine.PerSecond - 1, (ulong)FakeMachine.PerSecond);
        calibrator.TryGetElapsedPicoseconds(7, 6, out ulong negative).Should().BeTrue();
        negative.Should().Be(0);
        calibrator.TryGetElapsedPicoseconds(long.MinValue, long.MaxValue, out ulong tooLong).Should().BeTrue();
        tooLong.Should().Be(ulong.MaxValue);
        machine.TryMeasure(calibrator, FakeMachine.PerMillisecond, out ulong measured).Should().BeTrue();
        measured.Should().BeCloseTo((ulong)FakeMachine.PerMillisecond, (ulong)(FakeMachine.PerSecond / clockFrequency) + 30_000);
    }

    private static string ReasonFor(FakeMachine machine)
    {
        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);

        calibrator.IsCounter.Should().BeFalse();
        machine.TryMeasure(calibrator, 0, out _).Should().BeTrue("the clock is used instead");
        calibrator.UnavailableReason.Should().Contain("Stopwatch is used instead");
        return calibrator.UnavailableReason!;
    }
}
