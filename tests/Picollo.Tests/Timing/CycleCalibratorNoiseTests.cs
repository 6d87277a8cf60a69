using Picollo.Timing;

namespace Picollo.Tests.Timing;

/// <summary>Samples that interrupts spoiled: a calibration knows how bad they are and goes by it.</summary>
public class CycleCalibratorNoiseTests
{
    private const long CounterFrequency = 3_000_000_000;

    [Fact]
    public void A_start_whose_first_sample_is_uncertain_takes_longer()
    {
        var machine = new FakeMachine(CounterFrequency);
        machine.OnCounterRead = () => machine.Pass(machine.Now < FakeMachine.PerMillisecond ? FakeMachine.PerMicrosecond : 0);

        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);

        calibrator.IsCounter.Should().BeTrue(calibrator.UnavailableReason);
        machine.Now.Should().BeGreaterThan(8 * FakeMachine.PerMillisecond, "a microsecond in two milliseconds is too much");
        ErrorOf(calibrator).Should().BeLessThanOrEqualTo(calibrator.ErrorPpb * 1e-9);
    }

    [Fact]
    public void A_spoiled_sample_does_not_replace_a_good_ratio()
    {
        var machine = new FakeMachine(CounterFrequency);
        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);
        machine.TryMeasure(calibrator, FakeMachine.PerMillisecond, out _, count: 5_000);

        // A check reads the counter once, and then thrice a try: before the clock, while it shows the old value, and after.
        int read = 0;
        machine.OnCounterRead = () => machine.Pass(read++ % 3 == 0 ? 200 * FakeMachine.PerMicrosecond : 0);
        machine.Pass(2 * FakeMachine.PerSecond);
        long end = machine.Counter;
        calibrator.TryGetElapsedPicoseconds(end - 1_000, end, out _).Should().BeTrue();

        read.Should().Be(1 + (3 * CycleClockPolicy.SampleTries), "there was a check");
        calibrator.ErrorPpb.Should().BeLessThanOrEqualTo(CycleClockPolicy.SteadyErrorBoundPpb);
        ErrorOf(calibrator).Should().BeLessThan(1e-6);
    }

    [Fact]
    public void A_spoiled_sample_is_no_disagreement_as_far_as_it_is_uncertain()
    {
        var machine = new FakeMachine(CounterFrequency);
        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);
        long start = calibrator.GetTimestamp();
        int read = 0;
        machine.OnCounterRead = () => machine.Pass(read++ % 3 == 0 ? 50 * FakeMachine.PerMicrosecond : 0);
        machine.Pass(10 * FakeMachine.PerMillisecond); // of which the bound alone allows 10 µs

        calibrator.TryGetElapsedPicoseconds(start, machine.Counter, out ulong picoseconds).Should().BeTrue();

        read.Should().Be(1 + (3 * CycleClockPolicy.SampleTries), "there was one check, and no new start");
        picoseconds.Should().BeCloseTo(10 * FakeMachine.PerMillisecond, 2 * (ulong)FakeMachine.PerMicrosecond);
    }

    private static double ErrorOf(CycleCalibrator calibrator) =>
        Math.Abs(TickRatio.ToFrequency(calibrator.Multiplier) / CounterFrequency - 1);
}
