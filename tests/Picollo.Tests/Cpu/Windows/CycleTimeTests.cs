using FsCheck;
using FsCheck.Fluent;
using Picollo.Cpu.Windows;
using Picollo.Tests.Timing;
using Picollo.Timing;

namespace Picollo.Tests.Cpu.Windows;

/// <summary>Tests whether cycle counts are accepted as time on machines whose true rate is known.</summary>
public class CycleTimeTests
{
    private const long Rate = 3_000_000_000;

    // The frequency of Stopwatch on Windows.
    private const long ClockFrequency = 10_000_000;

    private static readonly ulong Multiplier = TickRatio.FromElapsed(Rate, ClockFrequency, ClockFrequency);

    [Fact]
    public void Cycles_at_the_rate_of_the_counter_measure_time()
    {
        var machine = new FakeMachine(Rate, ClockFrequency);
        CycleTime.MeasuresTime(machine, Multiplier).Should().BeTrue();
        machine.Now.Should().BeLessThan(3 * FakeMachine.PerMillisecond);
    }

    [Theory]
    [InlineData(1.04)]
    [InlineData(0.96)]
    [InlineData(1.5)]
    [InlineData(0.01)]
    [InlineData(0)]
    public void Cycles_at_another_rate_do_not_measure_time(double factor) =>
        CycleTime.MeasuresTime(new FakeMachine((long)(Rate * factor), ClockFrequency), Multiplier).Should().BeFalse();

    [Fact]
    public void A_calibration_with_the_largest_permitted_error_is_sufficient() =>
        CycleTime.MeasuresTime(new FakeMachine(Rate + (Rate / 1_000_000 * CycleClockPolicy.StartErrorBoundPpm), ClockFrequency), Multiplier)
            .Should().BeTrue();

    // Two readings per burn. In every third burn the thread loses the CPU for a quarter of it, and its cycles do not advance.
    [Fact]
    public void Occasional_interrupts_do_not_change_the_result()
    {
        var machine = new FakeMachine(Rate, ClockFrequency);
        int reads = 0;
        machine.OnCounterRead = () => machine.StepCounter(++reads % 6 == 0 ? -Rate / 20_000 : 0);

        CycleTime.MeasuresTime(machine, Multiplier).Should().BeTrue();
    }

    [Fact]
    public void A_clock_that_does_not_advance_ends_the_test() =>
        CycleTime.MeasuresTime(new FakeMachine(Rate, ClockFrequency) { IsClockStuck = true }, Multiplier).Should().BeFalse();

    [Fact]
    public void Time_is_not_negative_and_never_decreases_with_more_cycles()
    {
        Prop.ForAll<ulong, ulong>((a, b) =>
        {
            long less = CycleTime.ToNanoseconds(Math.Min(a, b), Multiplier);
            return less >= 0 && less <= CycleTime.ToNanoseconds(Math.Max(a, b), Multiplier);
        }).QuickCheckThrowOnFailure();

        CycleTime.ToNanoseconds(3_000_000_000, Multiplier).Should().BeInRange(999_999_999, 1_000_000_000);
        CycleTime.ToNanoseconds(ulong.MaxValue, 1UL << 63).Should().Be(long.MaxValue);

        // If picoseconds no longer fit into 64 bits: 400 days of a CPU.
        CycleTime.ToNanoseconds(400UL * 86_400 * Rate, Multiplier).Should().BeCloseTo(400L * 86_400 * 1_000_000_000, 10_000_000);
    }
}
