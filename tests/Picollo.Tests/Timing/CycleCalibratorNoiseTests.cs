using Picollo.Timing;

namespace Picollo.Tests.Timing;

/// <summary>Tests of samples that were disturbed by interrupts: the calibration takes their uncertainty into account.</summary>
public class CycleCalibratorNoiseTests
{
    private const long CounterFrequency = 3_000_000_000;

    [Fact]
    public void A_start_with_an_uncertain_first_sample_takes_longer()
    {
        var machine = new FakeMachine(CounterFrequency);
        machine.OnCounterRead = () => machine.Pass(machine.Now < FakeMachine.PerMillisecond ? FakeMachine.PerMicrosecond : 0);

        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);

        calibrator.IsCounter.Should().BeTrue(calibrator.UnavailableReason);
        machine.Now.Should().BeGreaterThan(8 * FakeMachine.PerMillisecond, "a microsecond in two milliseconds is too much");
        ErrorOf(calibrator).Should().BeLessThanOrEqualTo(calibrator.ErrorPpb * 1e-9);
    }

    [Fact]
    public void A_disturbed_sample_does_not_replace_a_good_ratio()
    {
        var machine = new FakeMachine(CounterFrequency);
        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);
        machine.TryMeasure(calibrator, FakeMachine.PerMillisecond, out _, count: 5_000);

        // A check reads the counter once, and then three times per try: before the clock, while the clock has the old value, and
        // afterwards.
        int read = 0;
        machine.OnCounterRead = () => machine.Pass(read++ % 3 == 0 ? 200 * FakeMachine.PerMicrosecond : 0);
        machine.Pass(2 * FakeMachine.PerSecond);
        long end = machine.Counter;
        calibrator.TryGetElapsedPicoseconds(end - 1_000, end, out _).Should().BeTrue();

        read.Should().Be(1 + (3 * CycleClockPolicy.SampleAttempts), "there was a check");
        calibrator.ErrorPpb.Should().BeLessThanOrEqualTo(CycleClockPolicy.SteadyErrorBoundPpb);
        ErrorOf(calibrator).Should().BeLessThan(1e-6);
    }

    [Fact]
    public void A_disturbed_sample_is_not_a_disagreement_within_its_uncertainty()
    {
        var machine = new FakeMachine(CounterFrequency);
        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);
        long start = calibrator.GetTimestamp();
        int read = 0;
        machine.OnCounterRead = () => machine.Pass(read++ % 3 == 0 ? 50 * FakeMachine.PerMicrosecond : 0);
        machine.Pass(10 * FakeMachine.PerMillisecond); // the bound allows a difference of 10 µs

        calibrator.TryGetElapsedPicoseconds(start, machine.Counter, out ulong picoseconds).Should().BeTrue();

        read.Should().Be(1 + (3 * CycleClockPolicy.SampleAttempts), "there was one check and no recalibration");
        picoseconds.Should().BeCloseTo(10 * FakeMachine.PerMillisecond, 2 * (ulong)FakeMachine.PerMicrosecond);
    }

    private static double ErrorOf(CycleCalibrator calibrator) =>
        Math.Abs(TickRatio.ToFrequency(calibrator.Multiplier) / CounterFrequency - 1);
}
