using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Picollo.Scheduling.Tests.Statistics;

/// <summary>The measurements that a listener of the meter receives.</summary>
public class MetricsTests
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
        await using CpuWorkerPool pool = Pools.Create();
        using MeterListener listener = Listen(pool, QueueWait, SliceLength, Overrun);

        await pool.RunAsync(cpu =>
        {
            _ = pool.RunAsync(_ => { }, new CpuTaskOptions { Name = "interrupts" });
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
        _seen.Should().OnlyContain(seen => Equals(seen.Tags[PoolTag], pool.Name));
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
        await using CpuWorkerPool pool = Pools.Create();
        using MeterListener listener = Listen(pool, name);

        await pool.RunAsync(cpu => { _ = pool.RunAsync(_ => { }); }).Soon();
        await pool.RunAsync(_ => { }).Soon();
        await Pools.Until(() => _seen.Count >= (name == Overrun ? 1 : 2));

        _seen.Should().OnlyContain(seen => seen.Instrument.Name == name);
    }

    [Fact]
    public async Task Slices_that_end_at_blocking_checkpoints_or_continue_are_recorded()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        using MeterListener listener = Listen(pool, SliceLength);

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

            _ = pool.RunAsync(_ => { });
            cpu.Checkpoint();
            return cpu.SliceCount;
        }).Soon();

        await Pools.Until(() => (ulong)_seen.Count == pool.Statistics.SliceLengths.TotalCount);
        _seen.Count.Should().BeGreaterThanOrEqualTo(slices);
    }

    [Fact]
    public async Task Slices_that_continue_after_an_ended_wait_are_recorded()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        using MeterListener listener = Listen(pool, SliceLength);

        await pool.RunAsync(async cpu =>
        {
            while (cpu.SliceCount < 6)
            {
                Pools.Spin(Pools.Short);
                await YieldHere();
            }
        }).Soon();

        await Pools.Until(() => (ulong)_seen.Count == pool.Statistics.SliceLengths.TotalCount);
        _seen.Count.Should().BeGreaterThanOrEqualTo(6);

        // Returns before the worker has left the task.
        static async Task YieldHere()
        {
            var back = new TaskCompletionSource();
            SynchronizationContext.Current!.Post(_ => back.SetResult(), null);
            await back.Task;
        }
    }

    [Fact]
    public async Task A_failing_listener_does_not_affect_tasks_or_workers()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        int calls = 0;
        using MeterListener listener = Listen(
            pool,
            () =>
            {
                Interlocked.Increment(ref calls);
                throw new FormatException();
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

        pool.Statistics.CompletedCount.Should().Be(2);
        calls.Should().BePositive();
    }

    [Fact]
    public async Task A_listener_that_fails_for_one_instrument_gets_the_others()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        using MeterListener listener = Listen(
            pool,
            instrument => _ = instrument == Overrun ? 0 : throw new FormatException(),
            QueueWait,
            SliceLength,
            Overrun);

        await pool.RunAsync(_ =>
        {
            while (pool.Statistics.GetRunningTasks()[0].Overrun == TimeSpan.Zero)
            {
                Pools.Spin(Pools.Short);
            }
        }).Soon();
        await Pools.Until(() => !_seen.IsEmpty);

        _seen.Should().OnlyContain(seen => seen.Instrument.Name == Overrun);
        pool.Statistics.CompletedCount.Should().Be(1);
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

    [Fact]
    public async Task A_listener_can_read_the_statistics_of_the_pool()
    {
        await using CpuWorkerPool pool = Pools.Create();
        long submitted = 0;
        using MeterListener listener = Listen(pool, () => submitted = pool.Statistics.SubmittedCount + pool.Statistics.GetRunningTasks().Count, SliceLength);

        await pool.RunAsync(_ => { }).Soon();
        await Pools.Until(() => _seen.Count == 1);

        submitted.Should().Be(1, "the listener is called outside the lock, after the slice");
    }

    private IEnumerable<(Instrument Instrument, double Value, Dictionary<string, object?> Tags)> Of(string name) =>
        _seen.Where(seen => seen.Instrument.Name == name);

    private MeterListener Listen(CpuWorkerPool pool, params string[] names) => Listen(pool, _ => { }, names);

    private MeterListener Listen(CpuWorkerPool pool, Action seen, params string[] names) => Listen(pool, _ => seen(), names);

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
