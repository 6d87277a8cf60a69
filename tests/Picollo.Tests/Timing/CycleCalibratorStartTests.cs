using Picollo.Timing;

namespace Picollo.Tests.Timing;

/// <summary>Tests of the first calibration and its refinement on a machine without disturbances.</summary>
public class CycleCalibratorStartTests
{
    private const double StartBound = CycleClockPolicy.StartErrorBoundPpm * 1e-6;

    [Theory]
    [InlineData(2_596_117_634, 1_000_000_000)]
    [InlineData(5_000_000_011, 10_000_000)]
    [InlineData(1_000_000_000, 1_000_000_000)]
    [InlineData(24_000_000, 1_000_000_000)]
    [InlineData(19_200_000, 24_000_000)]
    [InlineData(3_312_649_000, 3_312_649)]
    public void The_rate_is_within_its_bound_and_improves(long counterFrequency, long clockFrequency)
    {
        var machine = new FakeMachine(counterFrequency, clockFrequency);

        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);

        calibrator.IsCounter.Should().BeTrue(calibrator.UnavailableReason);
        calibrator.UnavailableReason.Should().BeNull();
        machine.Now.Should().BeLessThan(2 * CycleClockPolicy.StartBaselineLimitMicroseconds * FakeMachine.PerMicrosecond);
        ErrorOf(calibrator, counterFrequency).Should().BeLessThan(StartBound).And.BeLessThanOrEqualTo(calibrator.ErrorPpb * 1e-9);

        machine.TryMeasure(calibrator, FakeMachine.PerMillisecond, out _, count: 5_000).Should().BeTrue();

        calibrator.ErrorPpb.Should().BeLessThanOrEqualTo(CycleClockPolicy.SteadyErrorBoundPpb);
        ErrorOf(calibrator, counterFrequency).Should().BeLessThan(1e-6).And.BeLessThanOrEqualTo(calibrator.ErrorPpb * 1e-9);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(700)]
    [InlineData(1_234_567_890)]
    [InlineData(FakeMachine.PerSecond * 100_000)] // more than a day in one interval
    public void Intervals_are_measured_correctly(long picoseconds)
    {
        var machine = new FakeMachine(2_596_117_634);
        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);
        machine.TryMeasure(calibrator, FakeMachine.PerMillisecond, out _, count: 5_000);

        machine.TryMeasure(calibrator, picoseconds, out ulong measured).Should().BeTrue();

        // In addition to the interval itself: half of each reading and a tick.
        long expected = picoseconds + machine.CounterReadPicoseconds;
        measured.Should().BeCloseTo((ulong)expected, 400 + (ulong)(expected * 1e-6));
    }

    [Fact]
    public void Checks_become_less_frequent_down_to_one_per_second()
    {
        var machine = new FakeMachine(3_000_000_000);
        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);
        List<double> checksAtMilliseconds = [];
        for (long i = 0; i < 100_000; i++)
        {
            long start = calibrator.GetTimestamp();
            machine.Pass(100 * FakeMachine.PerMicrosecond);
            long end = calibrator.GetTimestamp();
            int reads = machine.Reads;
            calibrator.TryGetElapsedPicoseconds(start, end, out _);
            if (machine.Reads != reads)
            {
                checksAtMilliseconds.Add((double)machine.Now / FakeMachine.PerMillisecond);
            }
        }

        double[] first = [8, 32, 128, 512, 1_512, 2_512];
        for (int i = 0; i < first.Length; i++)
        {
            checksAtMilliseconds[i].Should().BeApproximately(first[i], first[i] * 0.1 + 0.2);
        }

        checksAtMilliseconds.Should().HaveCount(first.Length + 7, "ten seconds have passed, with a check in each");
    }

    [Fact]
    public void Checks_do_not_allocate()
    {
        var machine = new FakeMachine(3_000_000_000);
        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);
        machine.TryMeasure(calibrator, FakeMachine.PerMillisecond, out _, count: 2_000);
        int reads = machine.Reads;
        long before = GC.GetAllocatedBytesForCurrentThread();

        machine.TryMeasure(calibrator, FakeMachine.PerMillisecond, out _, count: 5_000);

        (GC.GetAllocatedBytesForCurrentThread() - before).Should().Be(0);
        machine.Reads.Should().BeGreaterThan(reads + 2 * 5_000, "there were checks");
    }

    [Theory]
    [InlineData(500)]
    [InlineData(-500)]
    public void A_clock_that_NTP_slews_is_followed(int slewPpm)
    {
        var machine = new FakeMachine(3_000_000_000);
        CycleCalibrator calibrator = CycleCalibrator.ForCounter(machine);
        machine.TryMeasure(calibrator, 100 * FakeMachine.PerMillisecond, out _, count: 1_000);

        machine.ClockSlewPpm = slewPpm;
        machine.TryMeasure(calibrator, 100 * FakeMachine.PerMillisecond, out _, count: 1_000);

        calibrator.IsCounter.Should().BeTrue();
        ErrorOf(calibrator, 3_000_000_000 / (1 + slewPpm * 1e-6)).Should().BeLessThan(2e-6);
    }

    private static double ErrorOf(CycleCalibrator calibrator, double frequency) =>
        Math.Abs(TickRatio.ToFrequency(calibrator.Multiplier) / frequency - 1);
}
