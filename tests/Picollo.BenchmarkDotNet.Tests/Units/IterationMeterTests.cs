using Picollo.BenchmarkDotNet.BenchmarkProcess;
using Picollo.BenchmarkDotNet.Tests.Workloads;

namespace Picollo.BenchmarkDotNet.Tests.Units;

public class IterationMeterTests
{
    private const int BurntMilliseconds = 10;

    [Fact]
    public void Counters_count_only_the_workload()
    {
        IterationMeter meter = new(new BurningCounters(), measuresCpu: true);

        meter.Begin();
        meter.End();

        // The usage is read before the counters start and after they end, so it includes their overhead.
        Iteration iteration = meter.Iterations.Should().ContainSingle().Subject;
        iteration.Usage!.Value.Cpu.Total.TotalMilliseconds.Should().BeGreaterThan(2 * BurntMilliseconds * 0.9);
        iteration.Counts.Should().Equal(7UL);
    }

    private sealed class BurningCounters : ICounters
    {
        public IReadOnlyList<string> Names { get; } = ["any"];

        public IReadOnlyList<string> Unavailable { get; } = [];

        public void Begin() => Burn.Milliseconds(BurntMilliseconds);

        public void End(Span<ulong> counts)
        {
            Burn.Milliseconds(BurntMilliseconds);
            counts[0] = 7;
        }

        public double ShareOfTime(int index) => 1;

        public void Dispose()
        {
        }
    }
}
