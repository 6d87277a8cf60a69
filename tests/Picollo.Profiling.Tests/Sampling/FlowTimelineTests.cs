using System.Diagnostics;
using System.Runtime.CompilerServices;
using Picollo.Cpu;
using Picollo.Profiling.Sampling;
using static Picollo.Profiling.Tests.Sampling.KernelRecords;

namespace Picollo.Profiling.Tests.Sampling;

/// <summary>Samples and switches with known times are joined exactly.</summary>
public sealed class FlowTimelineTests : IDisposable
{
    private const int Thread = 101;

    private static readonly FlowLabel[] Labels = [new("GET", "/a"), new("POST", "/a"), new("GET", "/b"), new("", "import")];

    private readonly FlowRecorder _recorder = FlowRecorder.Start();
    private readonly FlowTimeline _timeline;
    private readonly FlowLog _log;

    public FlowTimelineTests()
    {
        _timeline = new FlowTimeline(_recorder);
        _timeline.Add(_log = new FlowLog(_recorder, Thread, 1, before: null));
    }

    public void Dispose() => _recorder.Dispose();

    [Fact]
    public void A_switch_applies_from_its_time_on()
    {
        CpuUsageAsyncWatcher watcher = NewWatcher();
        _log.Add(10, watcher);
        _log.Add(20, null);

        ShouldBe(9);
        ShouldBe(10, watcher);
        ShouldBe(19, watcher);
        ShouldBe(20);
        _timeline.At(Thread + 1, 15).Should().BeEmpty("the other thread runs no flow");
    }

    [Fact]
    public void A_thread_with_a_reused_ID_has_its_own_log()
    {
        CpuUsageAsyncWatcher first = NewWatcher(), second = NewWatcher(), third = NewWatcher();
        _log.Add(10, first);
        _timeline.Add(new FlowLog(_recorder, Thread, 50, before: third)); // not in the order of their start
        var next = new FlowLog(_recorder, Thread, 30, before: null);
        next.Add(40, second);
        _timeline.Add(next);

        ShouldBe(15, first);
        _timeline.Forget(Thread, 25);
        ShouldBe(35);
        ShouldBe(45, second);
        ShouldBe(55, third);
        _timeline.Forget(Thread, 60);
        ShouldBe(65);
    }

    [Fact]
    public void A_stopped_watcher_no_longer_counts_on_other_threads_and_may_have_a_successor()
    {
        CpuUsageAsyncWatcher successor = CpuUsageAsyncWatcher.MakeSuccessor(Labels[0]);
        CpuUsageAsyncWatcher stopped = NewWatcher(), outer = NewWatcher(), request = NewWatcher();
        stopped.Outer = outer;
        _log.Add(10, stopped);
        stopped.Stop();
        _timeline.Add(new FlowStop(stopped, 20));

        ShouldBe(19, stopped, outer);
        ShouldBe(20, outer);
        _timeline.MoveTo(30);
        ShouldBe(31, outer); // the stop is kept while a thread is in the flow
        _log.Add(40, request);
        request.StopFor(successor);
        _timeline.Add(new FlowStop(request, 50));
        ShouldBe(49, request);
        ShouldBe(50, successor);
    }

    [Fact]
    public void Samples_are_counted_exactly_by_an_injected_timeline() => Seeded.Run(200, random =>
    {
        CpuUsageAsyncWatcher[] labeled = [.. Labels.Select(NewWatcher)], plain = [NewWatcher(), NewWatcher(), NewWatcher()];
        var timeline = new FlowTimeline(_recorder);
        var samples = new FlowSamples(timeline, new NodeBudget(100_000), 127);
        FlowLog[] logs = [.. Enumerable.Range(0, 3).Select(thread => new FlowLog(_recorder, thread, 0, before: null))];
        Array.ForEach(logs, timeline.Add);
        var current = new CpuUsageAsyncWatcher[][] { [], [], [] };
        var expected = new Dictionary<object, int>();
        int none = 0;
        List<byte[]> records = [];
        long at = 0;
        for (int i = random.Next(200); i > 0; i--)
        {
            int thread = random.Next(3);
            at += random.Next(1, 5);
            if (random.Next(2) == 0)
            {
                current[thread] = RandomChain(random, labeled, plain);
                logs[thread].Add(at, Link(current[thread]));
                continue;
            }

            records.Add(Sample(1, thread, (ulong)at, 1, 0x30));
            FlowLabel? label = current[thread].FirstOrDefault(watcher => watcher.Label is not null)?.Label;
            none += label is null ? 1 : 0;
            foreach (object key in current[thread].Where(watcher => watcher.Label is null).Concat<object>(label is null ? [] : [label]))
            {
                expected[key] = expected.GetValueOrDefault(key) + 1;
            }
        }

        foreach (byte[] record in records)
        {
            samples.Add(new PerfRecord(record));
            if (random.Next(10) == 0)
            {
                samples.End(new PerfRecord(record).Time);
            }
        }

        samples.Complete();
        Dictionary<object, int> counted = samples.Flows.ToDictionary(pair => (object)pair.Key, pair => (int)pair.Value.SampleCount);
        foreach ((FlowLabel label, SampleTree tree) in samples.Labels)
        {
            counted.Add(label, (int)tree.SampleCount);
        }

        counted.Should().BeEquivalentTo(expected);
        (samples.Unlabeled.SampleCount, samples.UnknownCount).Should().Be((none, 0));
    });

    [Fact]
    public void Samples_in_a_gap_belong_to_no_flow_and_are_counted()
    {
        using FlowRecorder small = FlowRecorder.Start(maxChunks: 1); // in addition to two for each log
        CpuUsageAsyncWatcher watcher = NewWatcher(Labels[0]);
        FlowTimeline timeline = NewFullTimeline(small, watcher, out FlowLog log);
        var samples = new FlowSamples(timeline, new NodeBudget(100), 127);
        Take(samples, 5, 0x30);
        Take(samples, 2000, 0x30);
        log.Add(3000, watcher);
        Take(samples, 3001, 0x30);
        samples.Complete();

        samples.Labels.Should().ContainSingle().Which.Value.SampleCount.Should().Be(2);
        (samples.Unlabeled.SampleCount, samples.UnknownCount).Should().Be((1, 1));
    }

    [Fact]
    public void A_gap_of_a_thread_ends_when_the_thread_ends()
    {
        CpuUsageAsyncWatcher watcher = NewWatcher();
        using FlowRecorder small = FlowRecorder.Start(maxChunks: 1);
        FlowTimeline timeline = NewFullTimeline(small, watcher, out _);
        var next = new FlowLog(small, Thread, 2000, before: null);
        next.Add(2001, watcher);
        timeline.Add(next);

        timeline.At(Thread, 1999).Should().BeNull();
        timeline.At(Thread, 2000).Should().BeEmpty("the next thread has not switched yet");
        timeline.At(Thread, 2001).Should().Equal(watcher);
    }

    [Fact]
    public void A_request_is_counted_for_the_route_that_it_has_when_it_ends_with_the_samples_that_are_read_later()
    {
        CpuUsageAsyncWatcher request = NewWatcher(new FlowLabel("GET", "(no endpoint)"));
        FlowSamples samples = NewSamples(100);
        _log.Add(10, request);
        Take(samples, 11, 0x30, 0x41);
        request.Label = Labels[1];
        request.Stop();
        samples.End(12);
        Take(samples, 13, 0x30, 0x41);
        samples.Labels.Should().BeEmpty("the ring may contain more of its samples");
        samples.End(14);
        samples.End(15);

        samples.Labels.Should().ContainSingle().Which.Key.Should().Be(Labels[1]);
        samples.Labels[Labels[1]].Nodes.Should().BeEquivalentTo([new SampleTree.Node(-1, 0x40, 0), new SampleTree.Node(0, 0x30, 2)]);
    }

    [Fact]
    public void A_hidden_request_is_counted_as_no_request_and_uses_no_memory()
    {
        using var thread = new ThreadInFlow();
        FlowSamples samples = NewSamples(2);
        for (ulong time = 10; time < 2010; time += 2)
        {
            _log.Add((long)time, NewWatcher(FlowLabel.None));
            Take(samples, time + 1, 0x30, 0x41);
        }

        samples.Complete();

        (samples.Unlabeled.SampleCount, samples.UnknownCount, samples.Flows.Count, samples.Labels.Count).Should().Be((1000, 0, 0, 0));
        _ = _recorder.TakeStops().Count();
        thread.Watcher.Stop();
        _recorder.TakeStops().Should().BeEmpty("recording has ended");
    }

    [Fact]
    public void Flows_above_the_limit_are_kept_and_later_work_uses_no_memory()
    {
        var kept = new KeptFlows(TimeSpan.Zero);
        CpuUsageAsyncWatcher successor = CpuUsageAsyncWatcher.MakeSuccessor(Labels[0]);
        FlowSamples samples = NewSamples(2, kept);
        for (ulong time = 10; time < 500; time += 10)
        {
            CpuUsageAsyncWatcher request = NewWatcher(Labels[0]);
            _log.Add((long)time, request);
            Take(samples, time + 1, 0x30, 0x41);
            request.StopFor(successor);
            _log.Add((long)time + 2, successor);
            Take(samples, time + 3, 0x1000 + (16 * time));
            samples.End(time + 4);
            samples.End(time + 5);
        }

        samples.UnknownCount.Should().Be(0);
        kept.All.Should().HaveCount(KeptFlows.MaxPerLabel).And.OnlyContain(flow => flow.Label == Labels[0] && flow.Samples.SampleCount == 1);
    }

    [Theory]
    [InlineData(4, 81)] // only four of 85 samples fit in the memory, which two had used before
    [InlineData(KeptFlows.MaxNodes, 0)] // a flow that never ends leaves memory for others
    public void A_kept_flow_and_a_running_one_have_their_own_memory(int nodes, int unknown)
    {
        var kept = new KeptFlows(TimeSpan.Zero);
        FlowSamples samples = NewSamples(nodes, kept);
        EndRequest(10);
        _log.Add(14, NewWatcher(Labels[1]));
        ulong end = unknown > 0 ? 100 : 2UL * KeptFlows.MaxNodes;
        for (ulong time = 15; time < end; time++)
        {
            Take(samples, time, 16 * time);
        }

        kept.All.Should().ContainSingle().Which.Samples.SampleCount.Should().Be(1);
        if (unknown > 0)
        {
            samples.UnknownCount.Should().Be(unknown);
            return;
        }

        EndRequest(300_000);
        kept.All.Should().HaveCount(2).And.OnlyContain(flow => flow.Samples.SampleCount == 1);

        void EndRequest(ulong time)
        {
            CpuUsageAsyncWatcher request = NewWatcher(Labels[0]);
            _log.Add((long)time, request);
            Take(samples, time + 1, 0x30, 0x41);
            request.Stop();
            samples.End(time + 2);
            samples.End(time + 3);
        }
    }

    [Fact]
    public void The_latest_flows_above_the_limit_are_kept_in_total_and_for_each_route()
    {
        var kept = new KeptFlows(TimeSpan.FromHours(1));
        kept.Add(NewWatcher(Labels[0]), NewTree());
        kept.All.Should().BeEmpty();

        kept = new KeptFlows(TimeSpan.Zero);
        SampleTree[] flows = [.. Enumerable.Range(0, 2 * KeptFlows.MaxPerLabel).Select(_ => NewTree())];
        Array.ForEach(flows, samples => kept.Add(NewWatcher(Labels[0]), samples));
        kept.All.Select(flow => flow.Samples).Should().Equal(flows.Reverse().Take(KeptFlows.MaxPerLabel));

        for (int i = 0; i < 2 * KeptFlows.MaxFlows; i++)
        {
            kept.Add(NewWatcher(new FlowLabel("GET", $"/{i / 2}")), NewTree());
        }

        kept.All.Select(flow => flow.Label.Name).Should().Equal(
            Enumerable.Range(0, KeptFlows.MaxFlows).Select(i => $"/{KeptFlows.MaxFlows - 1 - (i / 2)}"), "the latest are first");

        ulong[] chain = [.. Enumerable.Range(1, KeptFlows.MaxNodes / 2).Select(i => (ulong)i)];
        for (int i = 0; i < 3; i++)
        {
            SampleTree large = new(new NodeBudget(chain.Length));
            large.TryAdd(chain, int.MaxValue).Should().BeTrue();
            kept.Add(NewWatcher(Labels[i]), large);
        }

        kept.All.Select(flow => flow.Label).Should().Equal([Labels[2], Labels[1]], "the memory of all flows is limited");

        static SampleTree NewTree() => new(new NodeBudget(1));
    }

    [Fact]
    public void Each_gap_lasts_from_the_first_lost_switch_to_the_next_recorded_one()
    {
        CpuUsageAsyncWatcher[] watchers = [NewWatcher(), NewWatcher()];
        var small = new FlowRecorder(maxChunks: 1); // in addition to two for each log
        var timeline = new FlowTimeline(small);
        var log = new FlowLog(small, Thread, 0, before: null);
        timeline.Add(log);

        for (int start = 0; start < 4000; start += 1000)
        {
            for (int time = start; time < start + 1000; time++)
            {
                log.Add(time, watchers[time % 2]);
            }

            List<bool> known = [];
            for (int time = start; time < start + 1000; time++)
            {
                IReadOnlyList<CpuUsageAsyncWatcher>? found = timeline.At(Thread, time);
                (found ?? [watchers[time % 2]]).Should().Equal(watchers[time % 2]);
                known.Add(found is not null);
            }

            int count = known.Count(isKnown => isKnown);
            count.Should().BeInRange(100, 900);
            known.Should().Equal(Enumerable.Range(0, 1000).Select(i => i < count), "there is one gap, at the end");
        }
    }

    [Fact]
    public void A_stop_is_dropped_when_no_thread_is_in_the_flow()
    {
        WeakReference stopped = Stop(_timeline, _log);

        _timeline.MoveTo(40);

        GC.Collect();
        stopped.IsAlive.Should().BeFalse("a profile may run as long as the application, and must not keep stopped watchers alive");
        ShouldBe(41);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Stop(FlowTimeline timeline, FlowLog log)
        {
            CpuUsageAsyncWatcher watcher = CpuUsageAsyncWatcher.MakeSuccessor(); // not in a flow, which would keep it alive
            log.Add(10, watcher);
            log.Add(30, null);
            timeline.Add(new FlowStop(watcher, 20));
            return new WeakReference(watcher);
        }
    }

    [Fact]
    public void An_ended_thread_releases_the_memory_of_its_log()
    {
        var recorder = new FlowRecorder(maxChunks: 10);
        var timeline = new FlowTimeline(recorder);
        for (int start = 0; start < 3000; start += 1000)
        {
            var log = new FlowLog(recorder, Thread, start, before: null);
            timeline.Add(log);
            for (int time = start; time < start + 500; time++)
            {
                log.Add(time, null);
            }
        }

        new FlowSamples(timeline, new NodeBudget(1), 127).End(2500);
        recorder.TakeChunk().Should().BeInRange(2, 6, "one of three logs is left");
        timeline.Forget(Thread, 3000);

        recorder.TakeChunk().Should().Be(2, "this test has taken the other chunks");
    }

    [Fact]
    public void The_initial_flow_of_a_thread_is_known_until_the_thread_ends()
    {
        using var thread = new ThreadInFlow();
        using FlowRecorder recorder = FlowRecorder.Start();
        (int id, CpuUsageAsyncWatcher first) = (thread.Id, thread.Watcher);
        var timeline = new FlowTimeline(recorder);
        long before = Stopwatch.GetTimestamp();
        first.Stop();
        long after = Stopwatch.GetTimestamp();
        thread.End(); // a switch, after the first watcher was stopped by another thread
        timeline.Refresh();

        timeline.At(id, before).Should().Equal(first);
        timeline.At(id, after).Should().BeEmpty("the watcher was stopped");
        timeline.Forget(id, Stopwatch.GetTimestamp());
        timeline.At(id, Stopwatch.GetTimestamp()).Should().BeEmpty("another thread may reuse the ID");
    }

    [Fact]
    public void A_thread_that_never_switches_is_in_its_flow_until_the_stop()
    {
        using var thread = new ThreadInFlow();
        using FlowRecorder recorder = FlowRecorder.Start();
        var timeline = new FlowTimeline(recorder);
        timeline.At(thread.Id, 1).Should().ContainSingle();
        thread.Watcher.Stop();
        timeline.Refresh();
        long stopped = Stopwatch.GetTimestamp();
        timeline.MoveTo(stopped);
        timeline.MoveTo(stopped + 1);
        timeline.At(thread.Id, stopped + 2).Should().BeEmpty("the stop is kept");

        var next = new FlowTimeline(recorder);
        next.Forget(thread.Id, 2);
        next.At(thread.Id, 3).Should().BeEmpty("another thread may reuse the ID");
    }

    /// <summary>Creates a running watcher without an outer one.</summary>
    private static CpuUsageAsyncWatcher NewWatcher(FlowLabel? label = null) => new() { Label = label, Outer = null };

    private static CpuUsageAsyncWatcher[] RandomChain(Random random, CpuUsageAsyncWatcher[] labeled, CpuUsageAsyncWatcher[] plain) =>
    [
        .. plain.Where(_ => random.Next(3) == 0),
        .. labeled.Where(_ => random.Next(3) == 0).OrderBy(_ => random.Next()),
    ];

    private static CpuUsageAsyncWatcher? Link(CpuUsageAsyncWatcher[] chain)
    {
        for (int i = 0; i < chain.Length; i++)
        {
            chain[i].Outer = i + 1 < chain.Length ? chain[i + 1] : null;
        }

        return chain.FirstOrDefault();
    }

    /// <summary>Creates a timeline with a log of 1,000 switches to a watcher, the last of which are lost.</summary>
    private static FlowTimeline NewFullTimeline(FlowRecorder recorder, CpuUsageAsyncWatcher watcher, out FlowLog log)
    {
        log = new FlowLog(recorder, Thread, 0, before: null);
        var timeline = new FlowTimeline(recorder);
        timeline.Add(log);
        for (int time = 1; time < 1000; time++)
        {
            log.Add(time, watcher);
        }

        return timeline;
    }

    private FlowSamples NewSamples(int nodes, KeptFlows? kept = null) => new(_timeline, new NodeBudget(nodes), 127, kept);

    private static void Take(FlowSamples samples, ulong time, params ulong[] chain) => samples.Add(new PerfRecord(Sample(1, Thread, time, 1, chain)));

    private void ShouldBe(long time, params CpuUsageAsyncWatcher[] watchers) => _timeline.At(Thread, time).Should().Equal(watchers);

    /// <summary>A thread that is in a flow and does not switch until its end.</summary>
    private sealed class ThreadInFlow : IDisposable
    {
        private readonly ManualResetEventSlim _isIn = new(), _mayEnd = new();
        private readonly Thread _thread;

        public ThreadInFlow()
        {
            _thread = new Thread(() =>
            {
                Watcher = new CpuUsageAsyncWatcher();
                Id = (int)(ThreadSegment.OfThread!.ThreadId ?? 0);
                _isIn.Set();
                _mayEnd.Wait();
                new CpuUsageAsyncWatcher().Stop();
            });
            _thread.UnsafeStart();
            _isIn.Wait();
        }

        public int Id { get; private set; }

        public CpuUsageAsyncWatcher Watcher { get; private set; } = null!;

        /// <summary>Makes the thread switch and end.</summary>
        public void End()
        {
            _mayEnd.Set();
            _thread.Join();
        }

        public void Dispose()
        {
            End();
            _isIn.Dispose();
            _mayEnd.Dispose();
        }
    }
}
