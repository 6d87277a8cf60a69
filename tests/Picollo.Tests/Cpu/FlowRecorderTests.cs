using System.Runtime.CompilerServices;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

public class FlowRecorderTests
{
    private static readonly FlowLabel Label = new("GET", "/users/{id}");

    [Fact]
    public void The_switches_of_a_thread_are_recorded_in_order()
    {
        using FlowRecorder recorder = FlowRecorder.Start();
        CpuUsageAsyncWatcher? outer = null, inner = null;

        FlowLog log = OnThread(recorder, () =>
        {
            outer = new CpuUsageAsyncWatcher();
            inner = new CpuUsageAsyncWatcher();
            inner.Stop();
            outer.Stop();
        });

        List<(long Time, CpuUsageAsyncWatcher[] Watchers)> switches = Read(log);
        switches.Select(each => each.Watchers).Should().BeEquivalentTo(
            new[] { [outer], new[] { inner, outer }, [outer], [] }, options => options.WithStrictOrdering());
        switches.Select(each => each.Time).Should().BeInAscendingOrder();
        log.Before.Should().BeEmpty();
        recorder.TakeAddedLogs().Should().Contain(log);
        recorder.TakeAddedLogs().Should().NotContain(log, "it is added once");
    }

    [Fact]
    public void A_thread_that_is_already_in_a_flow_is_known_from_the_start()
    {
        using var isIn = new ManualResetEventSlim();
        using var goOn = new ManualResetEventSlim();
        CpuUsageAsyncWatcher? watcher = null;
        int thread = 0;
        FlowLog? log = null;
        FlowRecorder? recorder = null;
        var running = new Thread(() =>
        {
            watcher = new CpuUsageAsyncWatcher();
            thread = (int)(ThreadSegment.OfThread!.ThreadId ?? 0);
            isIn.Set();
            goOn.Wait();
            watcher.Stop();
            log = LogOf(recorder!);
        });
        running.UnsafeStart();
        isIn.Wait();
        using FlowRecorder started = recorder = FlowRecorder.Start();
        goOn.Set();
        running.Join();

        started.Initial.Should().ContainKey(thread).WhoseValue.Should().Equal(watcher!);
        log!.Before.Should().Equal([watcher!], "the log starts with the previous flow of the thread");
        Read(log).Should().ContainSingle().Which.Watchers.Should().BeEmpty();
    }

    [Fact]
    public void A_thread_without_memory_records_a_gap_and_continues_when_memory_is_available()
    {
        using FlowRecorder recorder = FlowRecorder.Start(maxChunks: 2);
        using var isFull = new ManualResetEventSlim();
        using var isRead = new ManualResetEventSlim();
        FlowLog? log = null;
        var switching = new Thread(() =>
        {
            Switch(10_000);
            log = LogOf(recorder);
            isFull.Set();
            isRead.Wait();
            Switch(3);
        });
        switching.UnsafeStart();
        isFull.Wait();

        List<FlowSwitchKind> kinds = ReadKinds(log!);
        isRead.Set();
        switching.Join();

        kinds.Should().HaveCountLessThan(1000).And.HaveElementAt(kinds.Count - 1, FlowSwitchKind.Gap);
        kinds.Count(kind => kind == FlowSwitchKind.Gap).Should().Be(1);
        ReadKinds(log!).Should().Equal(Enumerable.Repeat(FlowSwitchKind.Switch, 6), "a switch into the flow and one out of it, three times");
    }

    [Fact]
    public void A_watcher_that_is_stopped_while_another_thread_is_in_its_flow_is_recorded()
    {
        using FlowRecorder recorder = FlowRecorder.Start();
        using var isIn = new ManualResetEventSlim();
        using var goOn = new ManualResetEventSlim();
        CpuUsageAsyncWatcher? shared = null, alone = null;
        OnThread(recorder, () =>
        {
            shared = new CpuUsageAsyncWatcher();
            var child = new Thread(() =>
            {
                isIn.Set();
                goOn.Wait();
            });
            child.Start();
            isIn.Wait();
            shared.Stop();
            goOn.Set();
            child.Join();
            alone = new CpuUsageAsyncWatcher();
            alone.Stop();
        });

        CpuUsageAsyncWatcher[] stopped = [.. recorder.TakeStops().Select(stop => stop.Watcher)];

        stopped.Should().Contain(shared!).And.NotContain(alone!);
        recorder.TakeStops().Select(stop => stop.Watcher).Should().NotContain(shared!, "it is taken once");
    }

    [Fact]
    public void The_successor_of_a_stopped_watcher_is_recorded()
    {
        using FlowRecorder recorder = FlowRecorder.Start();
        CpuUsageAsyncWatcher successor = CpuUsageAsyncWatcher.MakeSuccessor(Label);
        CpuUsageAsyncWatcher? stopped = null;

        FlowLog log = OnThread(recorder, () =>
        {
            stopped = new CpuUsageAsyncWatcher();
            ExecutionContext later = ExecutionContext.Capture()!;
            stopped.StopFor(successor);
            ExecutionContext.Run(later, _ => { }, null);
        });

        Read(log).Select(each => each.Watchers).Should().BeEquivalentTo(
            new[] { new[] { stopped }, [], [successor], [] }, options => options.WithStrictOrdering());
    }

    [Fact]
    public void Spans_are_not_recorded()
    {
        using FlowRecorder recorder = FlowRecorder.Start();
        CpuUsageAsyncWatcher? watcher = null;

        FlowLog log = OnThread(recorder, () =>
        {
            watcher = new CpuUsageAsyncWatcher();
            CpuUsageAsyncWatcher span = CpuUsageAsyncWatcher.StartSpan(new NoData());
            span.StopSpan();
            watcher.Stop();
        });

        Read(log).SelectMany(each => each.Watchers).Distinct().Should().Equal(watcher!);
    }

    [Fact]
    public void Several_recorders_work_concurrently_and_ended_ones_record_nothing()
    {
        using FlowRecorder first = FlowRecorder.Start();
        FlowLog? ofFirst = null, ofSecond = null;
        OnThread(first, () =>
        {
            Switch(1);
            ofFirst = LogOf(first);
            using (FlowRecorder second = FlowRecorder.Start())
            {
                Switch(2);
                ofSecond = LogOf(second);
            }

            Switch(3);
        });

        (ReadKinds(ofFirst!).Count, ReadKinds(ofSecond!).Count).Should().Be((12, 4));
    }

    [Fact]
    public void A_removed_switch_does_not_keep_its_watcher_alive()
    {
        var log = new FlowLog(new FlowRecorder(maxChunks: 1), 1, 0, before: null);
        WeakReference watcher = Add(log);
        watcher.IsAlive.Should().BeTrue();

        ReadKinds(log).Should().Equal(FlowSwitchKind.Switch);

        GC.Collect();
        watcher.IsAlive.Should().BeFalse();
        GC.KeepAlive(log);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Add(FlowLog log)
        {
            CpuUsageAsyncWatcher watcher = CpuUsageAsyncWatcher.MakeSuccessor(); // not in a flow, which would keep it alive
            log.Add(1, watcher);
            return new WeakReference(watcher);
        }
    }

    [Fact]
    public void Memory_is_counted_exactly_when_it_is_exhausted_returned_and_released()
    {
        const int Most = 100, MostKept = 64;
        var recorder = new FlowRecorder(Most);
        var log = new FlowLog(recorder, 1, 0, before: null);
        for (int round = 0; round < 3; round++)
        {
            Add(log, 20_000);

            CountOf(recorder).Should().Be(Most);
            ReadKinds(log).Should().Contain(FlowSwitchKind.Gap);
            CountOf(recorder).Should().Be(MostKept);
        }

        log.Release();
        CountOf(recorder).Should().Be(0);

        static int CountOf(FlowRecorder recorder)
        {
            int count = recorder.TakeChunk() - 1;
            recorder.ReleaseChunks(1);
            return count;
        }
    }

    [Fact]
    public void A_new_recorder_removes_the_logs_of_ended_recorders() => OnThread(null, () =>
    {
        FlowRecorder[] recorders = new FlowRecorder[4];
        for (int i = 0; i < recorders.Length; i++)
        {
            recorders[i] = FlowRecorder.Start();
            Switch(1);
            if (i == 2)
            {
                recorders[0].Dispose();
                recorders[1].Dispose();
            }
        }

        List<FlowRecorder> ofLogs = [];
        for (FlowLog? log = ThreadSegment.OfThread!.Log; log is not null; log = log.Next)
        {
            ofLogs.Add(log.Recorder);
        }

        ofLogs.Where(recorders.Contains).Should().Equal(recorders[3], recorders[2]);
        recorders[2].Dispose();
        recorders[3].Dispose();
    });

    /// <summary>Runs an action on a thread without a flow.</summary>
    /// <returns>The log of the thread.</returns>
    private static FlowLog OnThread(FlowRecorder? recorder, Action action) => NewThread.Run(
        () =>
        {
            action();
            return recorder is null ? null! : LogOf(recorder);
        },
        flow: false);

    private static FlowLog LogOf(FlowRecorder recorder)
    {
        FlowLog? log = ThreadSegment.OfThread!.Log;
        while (log is not null && log.Recorder != recorder)
        {
            log = log.Next;
        }

        return log!;
    }

    private static void Switch(int times)
    {
        for (int i = 0; i < times; i++)
        {
            using var watcher = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly);
        }
    }

    private static void Add(FlowLog log, int switches)
    {
        for (int i = 0; i < switches; i++)
        {
            log.Add(i, null);
        }
    }

    private static List<FlowSwitchKind> ReadKinds(FlowLog log)
    {
        List<FlowSwitchKind> kinds = [];
        for (; log.TryPeek(out FlowSwitch next); log.Remove())
        {
            kinds.Add(next.Kind);
        }

        return kinds;
    }

    private static List<(long Time, CpuUsageAsyncWatcher[] Watchers)> Read(FlowLog log)
    {
        List<(long Time, CpuUsageAsyncWatcher[] Watchers)> switches = [];
        for (; log.TryPeek(out FlowSwitch next); log.Remove())
        {
            CpuUsageAsyncWatcher[] watchers = next.Watcher is { } watcher ? [watcher] : [];
            if (next.Kind == FlowSwitchKind.Outer)
            {
                switches[^1] = (next.Time, [.. switches[^1].Watchers, .. watchers]);
            }
            else
            {
                switches.Add((next.Time, watchers));
            }
        }

        return switches;
    }

    private sealed class NoData : SpanData;
}
