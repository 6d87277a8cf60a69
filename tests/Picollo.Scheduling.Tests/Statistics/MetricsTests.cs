using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Picollo.Scheduling.Tests.Statistics;

/// <summary>The measurements that a listener of the meter receives.</summary>
public class MetricsTests : OnePool
{
    private const string QueueWait = "picollo.cpu_worker.queue.duration";
    private const string SliceLength = "picollo.cpu_worker.slice.duration";
    private const string Overrun = "picollo.cpu_worker.overrun.duration";
    private const string PoolTag = "picollo.cpu_worker.pool.name";
    private const string TaskTag = "picollo.cpu_worker.task.name";

    private readonly ConcurrentQueue<(Instrument Instrument, double Value, Dictionary<string, object?> Tags)> _seen = new();

    [Fact]
    public async Task Waits_slices_and_overruns_are_recorded_in_seconds_with_the_name_of_the_pool()
    {
        using MeterListener listener = Listen(Pool, QueueWait, SliceLength, Overrun);

        await Pool.RunAsync(cpu =>
        {
            _ = Pool.RunAsync(_ => { }, new CpuTaskOptions { Name = "interrupts" });
            Pools.Spin(TimeSpan.FromMilliseconds(20));
        }, new CpuTaskOptions { Name = "late" }).Soon();
        await Pools.Until(() => _seen.Count == 5);

        Of(SliceLength).Should().HaveCount(2).And.OnlyContain(seen => seen.Tags.Count == 1);
        Of(SliceLength).Max(seen => seen.Value).Should().BeInRange(0.02, 60);
        Of(QueueWait).Should().HaveCount(2).And.OnlyContain(seen => seen.Tags.Count == 1);
        Of(QueueWait).Max(seen => seen.Value).Should().BeInRange(0.02, 60, "the second task waited for the first");
        var overrun = Of(Overrun).Should().ContainSingle().Subject;
        overrun.Value.Should().BeInRange(0.02, 60);
        overrun.Tags.Should().HaveCount(2).And.Contain(TaskTag, "late");
        _seen.Should().OnlyContain(seen => Equals(seen.Tags[PoolTag], Pool.Name));
        _seen.Select(seen => seen.Instrument).Should().OnlyContain(
            instrument => instrument is Histogram<double> && instrument.Unit == "s" && !string.IsNullOrEmpty(instrument.Description));
        _seen.Select(seen => ((Histogram<double>)seen.Instrument).Advice!.HistogramBucketBoundaries!.Min()).Should().OnlyContain(
            least => least <= 0.0001, "waits are microseconds, and the default bounds of an SDK start at 5 s");
        _seen.Select(seen => seen.Instrument.Meter).Should().OnlyContain(meter => meter.Name == "Picollo.Scheduling");
    }

    [Theory]
    [InlineData(QueueWait)]
    [InlineData(SliceLength)]
    [InlineData(Overrun)]
    public async Task A_listener_can_enable_a_single_instrument(string name)
    {
        using MeterListener listener = Listen(Pool, name);

        await Pool.RunAsync(cpu => { _ = Pool.RunAsync(_ => { }); }).Soon();
        await Pool.RunAsync(_ => { }).Soon();
        await Pools.Until(() => _seen.Count >= (name == Overrun ? 1 : 2));

        _seen.Should().OnlyContain(seen => seen.Instrument.Name == name);
    }

    [Fact]
    public async Task Slices_that_end_at_checkpoints_or_continue_there_or_after_an_ended_wait_are_recorded()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        long submitted = 0;
        using MeterListener listener = Listen(
            pool, _ => submitted = pool.Statistics.SubmittedCount + pool.Statistics.GetRunningTasks().Count, SliceLength);

        int slices = await pool.RunAsync(async cpu =>
        {
            while (cpu.SliceCount < 3)
            {
                cpu.Checkpoint();
            }

            while (cpu.SliceCount < 6)
            {
                await cpu.CheckpointAsync();
            }

            while (cpu.SliceCount < 9)
            {
                Pools.Spin(Pools.Short);
                await Pools.Posted(); // returns before the worker has left the task
            }

            _ = pool.RunAsync(_ => { });
            cpu.Checkpoint();
            return cpu.SliceCount;
        }).Soon();

        await Pools.Until(() => (ulong)_seen.Count == pool.Statistics.SliceLengths.TotalCount);
        _seen.Count.Should().BeGreaterThanOrEqualTo(slices);
        _seen.Should().OnlyContain(seen => seen.Instrument.Name == SliceLength, "only this instrument is enabled");
        submitted.Should().BePositive("the listener is called outside the lock, so that it can read the statistics");
    }

    [Fact]
    public async Task A_failing_listener_does_not_affect_tasks_or_workers_or_other_instruments()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        int calls = 0;
        using MeterListener listener = Listen(
            pool,
            instrument =>
            {
                Interlocked.Increment(ref calls);
                _ = instrument == Overrun ? 0 : throw new FormatException();
            },
            QueueWait,
            SliceLength,
            Overrun);

        // The listener is called at checkpoints of both kinds that continue, at one that yields, and at the end.
        await pool.RunAsync(async cpu =>
        {
            while (cpu.SliceCount < 3)
            {
                await cpu.CheckpointAsync();
            }

            while (cpu.SliceCount < 5)
            {
                cpu.Checkpoint();
            }

            _ = pool.RunAsync(_ => { });
            cpu.Checkpoint();
        }).Soon();
        await pool.DrainAsync().Soon();
        await Pools.Until(() => !_seen.IsEmpty);

        pool.Statistics.CompletedCount.Should().Be(2);
        calls.Should().BeGreaterThan(_seen.Count);
        _seen.Should().OnlyContain(seen => seen.Instrument.Name == Overrun);
    }

    [Fact]
    public void An_instrument_is_omitted_if_a_listener_throws_when_it_is_published()
    {
        using Meter meter = new("Picollo.Scheduling.Tests");
        using MeterListener listener = new()
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter == meter)
                {
                    throw new FormatException();
                }
            },
        };
        listener.Start();

        CpuWorkerMetrics.TryCreate(meter, "a", "").Should().BeNull();
        listener.Dispose();
        CpuWorkerMetrics.TryCreate(meter, "a", "").Should().NotBeNull();
    }

    private IEnumerable<(Instrument Instrument, double Value, Dictionary<string, object?> Tags)> Of(string name) =>
        _seen.Where(seen => seen.Instrument.Name == name);

    private MeterListener Listen(CpuWorkerPool pool, params string[] names) => Listen(pool, _ => { }, names);

    private MeterListener Listen(CpuWorkerPool pool, Action<string> seen, params string[] names)
    {
        var listener = new MeterListener
        {
            InstrumentPublished = (instrument, each) =>
            {
                if (instrument.Meter.Name == "Picollo.Scheduling" && names.Contains(instrument.Name))
                {
                    each.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) =>
        {
            var all = tags.ToArray().ToDictionary(tag => tag.Key, tag => tag.Value);
            if (Equals(all[PoolTag], pool.Name))
            {
                seen(instrument.Name);
                _seen.Enqueue((instrument, value, all));
            }
        });
        listener.Start();
        return listener;
    }
}
