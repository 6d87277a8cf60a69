using Picollo.Timing;

namespace Picollo.Tests.Timing;

/// <summary>Tests of suspends, migrations and unreliable counters.</summary>
public class CycleCalibratorJumpTests
{
    private const long Frequency = 3_000_000_000;

    private readonly FakeMachine _machine = new(Frequency);
    private readonly CycleCalibrator _calibrator;

    public CycleCalibratorJumpTests()
    {
        _calibrator = CycleCalibrator.ForCounter(_machine);
        _machine.TryMeasure(_calibrator, FakeMachine.PerMillisecond, out _, count: 10_000);
    }

    public static TheoryData<long> Steps => new()
    {
        20 * Frequency, // the counter continued during a sleep of 20 s, and the monotonic clock did not
        Frequency / 100,
        -Frequency / 100, // another CPU, or another machine
        -5 * Frequency,
    };

    [Theory]
    [MemberData(nameof(Steps))]
    public void An_interval_across_a_jump_is_discarded_and_the_next_is_measured(long ticks)
    {
        long start = _calibrator.GetTimestamp();
        _machine.Pass(2 * FakeMachine.PerSecond);
        _machine.StepCounter(ticks);
        long end = _calibrator.GetTimestamp();

        _calibrator.TryGetElapsedPicoseconds(start, end, out ulong picoseconds).Should().BeFalse();
        picoseconds.Should().Be(0);
        _calibrator.IsCounter.Should().BeTrue();
        AssertMeasuresCorrectly();
    }

    [Fact]
    public void A_step_back_between_two_intervals_is_detected_by_the_next_interval()
    {
        _machine.SetCounter(0);

        _machine.TryMeasure(_calibrator, FakeMachine.PerMillisecond, out _).Should().BeFalse("it started before the new calibration");
        AssertMeasuresCorrectly();
    }

    [Fact]
    public void An_interval_across_a_jump_that_another_thread_detected_is_discarded()
    {
        long start = _calibrator.GetTimestamp();
        _machine.StepCounter(Frequency);
        _machine.TryMeasure(_calibrator, 2 * FakeMachine.PerSecond, out _, count: 2);

        _calibrator.TryGetElapsedPicoseconds(start, _calibrator.GetTimestamp(), out _).Should().BeFalse();
    }

    [Fact]
    public void A_changed_rate_is_detected_at_the_next_check_and_then_used()
    {
        _machine.CounterFrequency = 2_000_000_000;

        _machine.TryMeasure(_calibrator, 2 * FakeMachine.PerSecond, out _).Should().BeFalse();

        _calibrator.IsCounter.Should().BeTrue();
        AssertMeasuresCorrectly();
        TickRatio.ToFrequency(_calibrator.Multiplier).Should().BeApproximately(2e9, 2e9 * 1e-4);
    }

    [Fact]
    public void After_an_undetected_small_jump_the_counter_soon_measures_correctly_again()
    {
        _machine.StepCounter(Frequency / 1_000_000); // 1 µs
        _machine.TryMeasure(_calibrator, FakeMachine.PerMillisecond, out _, count: 70_000);

        _calibrator.IsCounter.Should().BeTrue();
        AssertMeasuresCorrectly();
        TickRatio.ToFrequency(_calibrator.Multiplier).Should().BeApproximately(Frequency, Frequency * 1e-7);
    }

    [Fact]
    public void Consecutive_negative_intervals_cause_one_check()
    {
        int reads = _machine.Reads;
        for (int i = 0; i < 100; i++)
        {
            _calibrator.TryGetElapsedPicoseconds(_calibrator.GetTimestamp(), 1, out _);
        }

        // Each interval reads a timestamp once and the time twice; one check takes a sample of about 40 readings.
        (_machine.Reads - reads).Should().BeInRange(300, 400);
    }

    [Fact]
    public void Wrong_arguments_do_not_count_as_disagreements()
    {
        var random = new Random(11);
        for (int i = 0; i < 100_000; i++)
        {
            long now = _calibrator.GetTimestamp();
            long anyStart = random.NextInt64(long.MinValue, long.MaxValue);
            long anyEnd = random.NextInt64(long.MinValue, long.MaxValue);
            _calibrator.TryGetElapsedPicoseconds(anyStart, anyEnd, out _);
            _calibrator.TryGetElapsedPicoseconds(now, now - i, out _);
            _machine.Pass(FakeMachine.PerMicrosecond);
        }

        _calibrator.IsCounter.Should().BeTrue(_calibrator.UnavailableReason);
        AssertMeasuresCorrectly();
    }

    [Fact]
    public void Occasional_suspends_do_not_replace_the_counter()
    {
        for (int i = 0; i < 20; i++)
        {
            _machine.StepCounter(3_600 * Frequency);
            _machine.TryMeasure(_calibrator, FakeMachine.PerSecond, out _, count: 70);
        }

        _calibrator.IsCounter.Should().BeTrue(_calibrator.UnavailableReason);
        AssertMeasuresCorrectly();
    }

    [Theory]
    [InlineData(Frequency / 50)] // 20 ms
    [InlineData(Frequency / 10_000)] // 100 µs: detected by negative intervals
    public void The_clock_replaces_counters_that_differ_between_CPUs(long skew)
    {
        var random = new Random(2);
        long onCounter = _calibrator.GetTimestamp();
        for (int i = 0; i < 20_000 && _calibrator.IsCounter; i++)
        {
            long start = _calibrator.GetTimestamp();
            _machine.Pass(10 * FakeMachine.PerMicrosecond);
            _machine.StepCounter(i % 2 == 0 ? skew : -skew);
            _calibrator.TryGetElapsedPicoseconds(start, _calibrator.GetTimestamp(), out _);
            _machine.Pass(random.NextInt64(4 * FakeMachine.PerMillisecond));
        }

        _calibrator.IsCounter.Should().BeFalse();
        _calibrator.UnavailableReason.Should().Contain("not reliable").And.Contain("Stopwatch is used instead");
        _calibrator.TryGetElapsedPicoseconds(onCounter, _calibrator.GetTimestamp(), out _).Should().BeFalse("it started on the counter");
        _calibrator.TryGetElapsedPicoseconds(_calibrator.GetTimestamp(), onCounter, out _).Should().BeFalse();
        for (int i = 0; i < 100; i++)
        {
            _machine.StepCounter(skew);
            AssertMeasuresCorrectly();
        }

        TickRatio.ToFrequency(_calibrator.Multiplier).Should().BeApproximately(_machine.ClockFrequency, 1e-3);
    }

    [Fact]
    public void The_clock_replaces_a_counter_that_jumps_during_recalibration()
    {
        var random = new Random(5);
        _machine.OnCounterRead = () => _machine.StepCounter(random.NextInt64(-Frequency, Frequency));

        _machine.TryMeasure(_calibrator, 2 * FakeMachine.PerSecond, out _, count: 2);

        _calibrator.IsCounter.Should().BeFalse();
        _machine.OnCounterRead = null;
        AssertMeasuresCorrectly();
    }

    [Fact]
    public void While_one_thread_recalibrates_others_discard_their_intervals_without_waiting()
    {
        List<bool> meanwhile = [];
        _machine.StepCounter(Frequency);
        _machine.Pass(2 * FakeMachine.PerSecond);
        long start = _calibrator.GetTimestamp();
        bool isChecking = false;
        _machine.OnCounterRead = () =>
        {
            if (isChecking && meanwhile.Count < 1_000)
            {
                isChecking = false;
                var other = new Thread(() => meanwhile.Add(_calibrator.TryGetElapsedPicoseconds(start + 1, start + 2, out _)));
                other.Start();
                other.Join(TimeSpan.FromSeconds(30)).Should().BeTrue("no thread waits for a check");
                isChecking = true;
            }
        };
        long end = _calibrator.GetTimestamp();
        isChecking = true;

        _calibrator.TryGetElapsedPicoseconds(start, end, out _).Should().BeFalse();

        isChecking = false;
        meanwhile.Should().Contain(false);
        AssertMeasuresCorrectly();
    }

    private void AssertMeasuresCorrectly()
    {
        _machine.TryMeasure(_calibrator, FakeMachine.PerMillisecond, out ulong measured).Should().BeTrue();
        measured.Should().BeCloseTo((ulong)FakeMachine.PerMillisecond, 130_000, "the tolerance is 100 ppm and one reading of each clock");
    }
}
