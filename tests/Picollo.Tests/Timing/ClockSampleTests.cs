using Picollo.Timing;

namespace Picollo.Tests.Timing;

public class ClockSampleTests
{
    [Theory]
    [InlineData(2_596_117_634, 1_000_000_000)]
    [InlineData(3_000_000_000, 10_000_000)] // Windows: a tick of 100 ns
    [InlineData(24_000_000, 1_000_000_000)] // arm64: a tick of 42 ns
    [InlineData(24_000_000, 24_000_000)]
    [InlineData(5_000_000_000, 1_000)] // a clock of milliseconds
    public void The_counter_is_within_the_uncertainty_at_the_edge_of_the_clock_tick(long counterFrequency, long clockFrequency)
    {
        var random = new Random(3);
        var machine = new FakeMachine(counterFrequency, clockFrequency);
        int samples = clockFrequency < 1_000_000 ? 10 : 50; // each sample reads a slow clock tens of thousands of times
        for (int i = 0; i < samples; i++)
        {
            machine.Pass(random.NextInt64(FakeMachine.PerMillisecond));

            ClockSample sample = ClockSample.Take(machine);

            double ticksSince = (machine.TrueClock - sample.Clock) / clockFrequency * counterFrequency;
            double trueCounter = machine.Counter - ticksSince;
            Math.Abs(sample.Counter - trueCounter).Should().BeLessThanOrEqualTo(sample.Uncertainty + 1, "seed 3, sample {0}", i);
            sample.Uncertainty.Should().BeInRange(1, 1 + (long)(100e-9 * counterFrequency));
        }
    }

    [Fact]
    public void An_interrupted_reading_is_ignored()
    {
        var machine = new FakeMachine(3_000_000_000);
        ClockSample undisturbed = ClockSample.Take(machine);
        int reads = 0;
        machine.OnCounterRead = () => machine.Pass(reads++ % 9 < 6 ? 50 * FakeMachine.PerMicrosecond : 0);

        ClockSample.Take(machine).Uncertainty.Should().BeLessThanOrEqualTo(undisturbed.Uncertainty + 1);
    }
}
