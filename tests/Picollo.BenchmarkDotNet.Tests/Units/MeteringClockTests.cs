using Perfolizer.Horology;
using Picollo.BenchmarkDotNet.BenchmarkProcess;
using Picollo.BenchmarkDotNet.Tests.Workloads;

namespace Picollo.BenchmarkDotNet.Tests.Units;

public sealed class MeteringClockTests
{
    private readonly List<string> _calls = [];

    [Fact]
    public void Counters_start_before_the_first_timestamp_and_end_after_the_second()
    {
        RecordedCounters counters = new(_calls);
        IterationMeter meter = new(counters, measuresCpu: false);
        MeteringClock clock = new(new RecordedClock(_calls)) { Meter = meter };
        foreach (ulong count in new ulong[] { 1, 2 })
        {
            counters.Count = count;
            StartedClock started = clock.Start();
            _calls.Add("work");
            _ = started.GetElapsed();
        }

        _calls.Should().Equal("begin", "time", "work", "time", "end", "begin", "time", "work", "time", "end");
        meter.Iterations.Select(iteration => iteration.Counts.Single()).Should().Equal(1, 2);
        meter.Iterations.Should().OnlyContain(iteration => iteration.Usage == null);
    }

    [Fact]
    public void A_meter_that_is_set_later_starts_with_the_next_iteration()
    {
        MeteringClock clock = new(new RecordedClock(_calls));
        _ = clock.Start().GetElapsed();
        IterationMeter meter = new(new RecordedCounters(_calls), measuresCpu: true);
        clock.Meter = meter;
        _ = clock.Start().GetElapsed();
        clock.Meter = null;
        _ = clock.Start().GetElapsed();

        (clock.Title, clock.IsAvailable, clock.Frequency).Should().Be(("Recorded", true, Frequency.MHz));
        meter.Iterations.Should().ContainSingle().Which.Counts.Should().Equal(42UL);
        meter.Iterations[0].Usage.Should().NotBeNull();
        _calls.Should().Equal("time", "time", "begin", "time", "time", "end", "time", "time");
    }

    [Fact]
    public void The_usage_of_the_process_includes_the_overhead_of_the_counters()
    {
        IterationMeter meter = new(new RecordedCounters(_calls) { BurntMilliseconds = 10 }, measuresCpu: true);
        meter.Begin();
        meter.End();

        meter.Iterations.Should().ContainSingle().Which.Usage!.Value.Cpu.Total.TotalMilliseconds.Should().BeGreaterThan(2 * 10 * 0.9);
    }

    private sealed class RecordedClock(List<string> calls) : IClock
    {
        private long _now;

        public string Title => "Recorded";

        public bool IsAvailable => true;

        public Frequency Frequency => Frequency.MHz;

        public long GetTimestamp()
        {
            calls.Add("time");
            return _now++;
        }
    }

    private sealed class RecordedCounters(List<string> calls) : ICounters
    {
        public ulong Count { get; set; } = 42;

        public IReadOnlyList<string> Names => ["one"];

        public IReadOnlyList<string> Unavailable => [];

        public int BurntMilliseconds { get; init; }

        public void Begin()
        {
            Burn.Milliseconds(BurntMilliseconds);
            calls.Add("begin");
        }

        public void End(Span<ulong> counts)
        {
            Burn.Milliseconds(BurntMilliseconds);
            counts[0] = Count;
            calls.Add("end");
        }

        public double ShareOfTime(int index) => 1;

        public void Dispose()
        {
        }
    }
}
