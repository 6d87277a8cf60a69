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

    public void Dispose() => _recorder.Dispose();

    [Fact]
    public void A_switch_applies_from_its_time_on()
    {
        CpuUsageAsyncWatcher watcher = NewWatcher();
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        log.Add(10, watcher);
        log.Add(20, null);

        timeline.At(Thread, 9).Should().BeEmpty();
        timeline.At(Thread, 10).Should().Equal(watcher);
        timeline.At(Thread, 19).Should().Equal(watcher);
        timeline.At(Thread, 20).Should().BeEmpty();
        timeline.At(Thread + 1, 20).Should().BeEmpty("the other thread runs no flow");
    }

    [Fact]
    public void A_thread_with_a_reused_ID_has_its_own_log()
    {
        CpuUsageAsyncWatcher first = NewWatcher(), second = NewWatcher();
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        log.Add(10, first);
        var next = new FlowLog(_recorder, Thread, 30, before: null);
        next.Add(40, second);
        timeline.Add(next);

        timeline.At(Thread, 15).Should().Equal(first);
        timeline.Forget(Thread, 25);
        timeline.At(Thread, 35).Should().BeEmpty();
        timeline.At(Thread, 45).Should().Equal(second);
        timeline.Forget(Thread, 50);
        timeline.At(Thread, 55).Should().BeEmpty("the thread has ended");
    }

    [Fact]
    public void Logs_of_one_thread_ID_apply_in_the_order_of_their_start()
    {
        CpuUsageAsyncWatcher second = NewWatcher(), third = NewWatcher();
        FlowTimeline timeline = NewTimeline(out _);
        timeline.Add(new FlowLog(_recorder, Thread, 40, before: third));
        timeline.Add(new FlowLog(_recorder, Thread, 20, before: second));

        timeline.At(Thread, 30).Should().Equal(second);
        timeline.At(Thread, 50).Should().Equal(third);
    }

    [Fact]
    public void A_stopped_watcher_no_longer_counts_on_other_threads()
    {
        CpuUsageAsyncWatcher stopped = NewWatcher(), outer = NewWatcher();
        stopped.Outer = outer;
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        log.Add(10, stopped);
        stopped.Stop();
        timeline.Add(new FlowStop(stopped, 20));

        timeline.At(Thread, 19).Should().Equal(stopped, outer);
        timeline.At(Thread, 20).Should().Equal(outer);
        timeline.MoveTo(30);
        timeline.At(Thread, 31).Should().Equal([outer], "the stop is kept while a thread is in the flow");
    }

    [Fact]
    public void Work_that_a_request_leaves_running_is_counted_for_its_route()
    {
        CpuUsageAsyncWatcher successor = CpuUsageAsyncWatcher.MakeSuccessor(Labels[0]);
        CpuUsageAsyncWatcher request = NewWatcher();
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        log.Add(10, request);
        request.StopFor(successor);
        timeline.Add(new FlowStop(request, 20));

        timeline.At(Thread, 19).Should().Equal(request);
        timeline.At(Thread, 20).Should().Equal(successor);
    }

    [Fact]
    public void Samples_are_counted_exactly_by_an_injected_timeline() => Seeded.Run(200, random =>
    {
        CpuUsageAsyncWatcher[] labeled = [.. Labels.Select(NewWatcher)];
        CpuUsageAsyncWatcher[] plain = [NewWatcher(), NewWatcher(), NewWatcher()];
        var timeline = new FlowTimeline(_recorder);
        var samples = new FlowSamples(timeline, new NodeBudget(100_000), 127);
        var events = new List<(long Time, int Thread, CpuUsageAsyncWatcher[]? Switch)>();
        long time = 0;
        for (int i = random.Next(200); i > 0; i--)
        {
            CpuUsageAsyncWatcher[]? chain = random.Next(2) == 0 ? null : RandomChain(random, labeled, plain);
            events.Add((time += random.Next(1, 5), random.Next(3), chain));
        }

        var logs = new FlowLog?[3];
        var current = new CpuUsageAsyncWatcher[][] { [], [], [] };
        var expected = new Dictionary<object, int>();
        int none = 0;
        List<byte[]> records = [];
        foreach ((long at, int thread, CpuUsageAsyncWatcher[]? chain) in events)
        {
            if (chain is not null)
            {
                if (logs[thread] is null)
                {
                    logs[thread] = new FlowLog(_recorder, thread, at, before: null);
                    timeline.Add(logs[thread]!);
                }

                logs[thread]!.Add(at, Link(chain));
                current[thread] = chain;
            }
            else
            {
                records.Add(Sample(1, thread, (ulong)at, 1, 0x30));
                foreach (CpuUsageAsyncWatcher watcher in current[thread].Where(watcher => watcher.Label is null))
                {
                    expected[watcher] = expected.GetValueOrDefault(watcher) + 1;
                }

                if (current[thread].FirstOrDefault(watcher => watcher.Label is not null)?.Label is { } label)
                {
                    expected[label] = expected.GetValueOrDefault(label) + 1;
                }
                else
                {
                    none++;
                }
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
        var log = new FlowLog(small, Thread, 0, before: null);
        var timeline = new FlowTimeline(small);
        timeline.Add(log);
        var samples = new FlowSamples(timeline, new NodeBudget(100), 127);
        for (int time = 1; time < 1000; time++)
        {
            log.Add(time, watcher);
        }

        samples.Add(new PerfRecord(Sample(1, Thread, 5, 1, 0x30)));
        samples.Add(new PerfRecord(Sample(1, Thread, 2000, 1, 0x30)));
        log.Add(3000, watcher);
        samples.Add(new PerfRecord(Sample(1, Thread, 3001, 1, 0x30)));
        samples.Complete();

        samples.Labels.Should().ContainSingle().Which.Value.SampleCount.Should().Be(2);
        (samples.Unlabeled.SampleCount, samples.UnknownCount).Should().Be((1, 1));
    }

    [Fact]
    public void A_request_is_counted_for_the_route_that_it_has_when_it_ends()
    {
        CpuUsageAsyncWatcher request = NewWatcher(new FlowLabel("GET", "(no endpoint)"));
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        var samples = new FlowSamples(timeline, new NodeBudget(100), 127);
        log.Add(10, request);
        samples.Add(new PerfRecord(Sample(1, Thread, 11, 1, 0x30, 0x41)));
        request.Label = Labels[1];
        request.Stop();
        samples.End(12);
        samples.Add(new PerfRecord(Sample(1, Thread, 13, 1, 0x30, 0x41)));
        samples.End(14);
        samples.End(15);

        samples.Labels.Should().ContainSingle().Which.Key.Should().Be(Labels[1]);
        samples.Labels[Labels[1]].Nodes.Should().BeEquivalentTo([new SampleTree.Node(-1, 0x40, 0), new SampleTree.Node(0, 0x30, 2)]);
    }

    [Fact]
    public void Stacks_beyond_the_memory_are_counted_as_unknown()
    {
        CpuUsageAsyncWatcher request = NewWatcher(Labels[0]);
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        var samples = new FlowSamples(timeline, new NodeBudget(3), 127);
        log.Add(1, request);
        samples.Add(new PerfRecord(Sample(1, Thread, 2, 1, 0x30, 0x41)));
        samples.Add(new PerfRecord(Sample(1, Thread, 3, 1, 0x50, 0x61)));
        samples.Complete();

        (samples.Labels.Values.Sum(tree => tree.SampleCount) + samples.UnknownCount).Should().Be(2);
        samples.UnknownCount.Should().BePositive();
    }

    [Fact]
    public void A_hidden_request_is_counted_as_no_request_and_uses_no_memory()
    {
        CpuUsageAsyncWatcher[] excluded = [.. Enumerable.Range(0, 1000).Select(_ => NewWatcher(FlowLabel.None))];
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        var samples = new FlowSamples(timeline, new NodeBudget(2), 127);
        for (int i = 0; i < excluded.Length; i++)
        {
            log.Add(10 + (2 * i), excluded[i]);
            samples.Add(new PerfRecord(Sample(1, Thread, 11 + (2 * (ulong)i), 1, 0x30, 0x41)));
        }

        samples.Complete();

        (samples.Unlabeled.SampleCount, samples.UnknownCount, samples.Flows.Count, samples.Labels.Count).Should().Be((1000, 0, 0, 0));
    }

    [Fact]
    public void Flows_above_the_limit_are_kept_and_later_work_uses_no_memory()
    {
        var kept = new KeptFlows(TimeSpan.Zero);
        CpuUsageAsyncWatcher successor = CpuUsageAsyncWatcher.MakeSuccessor(Labels[0]);
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        var samples = new FlowSamples(timeline, new NodeBudget(2), 127, kept);
        for (ulong time = 10; time < 500; time += 10)
        {
            CpuUsageAsyncWatcher request = NewWatcher(Labels[0]);
            log.Add((long)time, request);
            samples.Add(new PerfRecord(Sample(1, Thread, time + 1, 1, 0x30, 0x41)));
            request.StopFor(successor);
            log.Add((long)time + 2, successor);
            samples.Add(new PerfRecord(Sample(1, Thread, time + 3, 1, 0x1000 + (16 * time))));
            samples.End(time + 4);
            samples.End(time + 5);
        }

        samples.UnknownCount.Should().Be(0);
        kept.All.Should().HaveCount(KeptFlows.MaxPerLabel).And.OnlyContain(flow => flow.Label == Labels[0] && flow.Samples.SampleCount == 1);
    }

    [Fact]
    public void Kept_flows_remain_when_the_memory_for_running_ones_is_exhausted()
    {
        var kept = new KeptFlows(TimeSpan.Zero);
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        var samples = new FlowSamples(timeline, new NodeBudget(4), 127, kept);
        CpuUsageAsyncWatcher request = NewWatcher(Labels[0]);
        log.Add(10, request);
        samples.Add(new PerfRecord(Sample(1, Thread, 11, 1, 0x30, 0x41)));
        request.Stop();
        samples.End(12);
        samples.End(13);
        log.Add(14, NewWatcher(Labels[1]));
        for (ulong time = 15; time < 100; time++)
        {
            samples.Add(new PerfRecord(Sample(1, Thread, time, 1, 16 * time)));
        }

        kept.All.Should().ContainSingle().Which.Samples.SampleCount.Should().Be(1);
        samples.UnknownCount.Should().Be(81, "only four of 85 samples fit in the memory");
    }

    [Fact]
    public void A_flow_that_never_ends_leaves_memory_for_others()
    {
        var kept = new KeptFlows(TimeSpan.Zero);
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        var samples = new FlowSamples(timeline, new NodeBudget(KeptFlows.MaxNodes), 127, kept);
        log.Add(10, NewWatcher(Labels[1]));
        for (ulong time = 11; time < 2 * KeptFlows.MaxNodes; time++)
        {
            samples.Add(new PerfRecord(Sample(1, Thread, time, 1, 16 * time)));
        }

        CpuUsageAsyncWatcher request = NewWatcher(Labels[0]);
        log.Add(300_000, request);
        samples.Add(new PerfRecord(Sample(1, Thread, 300_001, 1, 0x30, 0x41)));
        request.Stop();
        samples.End(300_002);
        samples.End(300_003);

        kept.All.Should().ContainSingle().Which.Samples.SampleCount.Should().Be(1);
    }

    [Fact]
    public void Flows_below_the_limit_are_dropped_and_the_number_of_others_is_limited()
    {
        var kept = new KeptFlows(TimeSpan.FromHours(1));
        kept.Add(NewWatcher(Labels[0]), new SampleTree(new NodeBudget(1)));
        kept.All.Should().BeEmpty();

        kept = new KeptFlows(TimeSpan.Zero);
        for (int i = 0; i < 2 * KeptFlows.MaxFlows; i++)
        {
            kept.Add(NewWatcher(new FlowLabel("GET", $"/{i / 2}")), new SampleTree(new NodeBudget(1)));
        }

        kept.All.Select(flow => flow.Label.Name).Should().Equal(
            Enumerable.Range(0, KeptFlows.MaxFlows).Select(i => $"/{KeptFlows.MaxFlows - 1 - (i / 2)}"), "the latest are first");
    }

    [Fact]
    public void The_latest_flows_of_a_route_are_kept()
    {
        var kept = new KeptFlows(TimeSpan.Zero);
        SampleTree[] flows = [.. Enumerable.Range(0, 2 * KeptFlows.MaxPerLabel).Select(_ => new SampleTree(new NodeBudget(1)))];
        foreach (SampleTree samples in flows)
        {
            kept.Add(NewWatcher(Labels[0]), samples);
        }

        kept.All.Select(flow => flow.Samples).Should().Equal(flows.Reverse().Take(KeptFlows.MaxPerLabel));
    }

    [Fact]
    public void Ended_requests_release_their_memory()
    {
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        var samples = new FlowSamples(timeline, new NodeBudget(6), 127);
        for (ulong time = 10; time < 10_000; time += 10)
        {
            CpuUsageAsyncWatcher request = NewWatcher(Labels[0]);
            log.Add((long)time, request);
            samples.Add(new PerfRecord(Sample(1, Thread, time + 1, 1, 0x30, 0x41)));
            request.Stop();
            samples.End(time + 2);
            samples.End(time + 3);
        }

        samples.Complete();

        (samples.UnknownCount, samples.Labels[Labels[0]].SampleCount).Should().Be((0, 999));
    }

    [Fact]
    public void A_request_has_the_samples_that_are_read_after_its_end()
    {
        var kept = new KeptFlows(TimeSpan.Zero);
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        var samples = new FlowSamples(timeline, new NodeBudget(100), 127, kept);
        CpuUsageAsyncWatcher request = NewWatcher(Labels[0]);
        log.Add(10, request);
        samples.Add(new PerfRecord(Sample(1, Thread, 11, 1, 0x30)));
        request.Stop();
        samples.End(12);
        samples.Add(new PerfRecord(Sample(1, Thread, 13, 1, 0x30)));
        kept.All.Should().BeEmpty("the ring may contain more of its samples");
        samples.End(14);

        kept.All.Should().ContainSingle().Which.Samples.SampleCount.Should().Be(2);
    }

    [Fact]
    public void A_gap_of_a_thread_ends_when_the_thread_ends()
    {
        CpuUsageAsyncWatcher watcher = NewWatcher();
        using FlowRecorder small = FlowRecorder.Start(maxChunks: 1);
        var timeline = new FlowTimeline(small);
        var full = new FlowLog(small, Thread, 1, before: null);
        timeline.Add(full);
        for (int time = 2; time < 1000; time++)
        {
            full.Add(time, watcher);
        }

        var next = new FlowLog(small, Thread, 2000, before: null);
        next.Add(2001, watcher);
        timeline.Add(next);

        timeline.At(Thread, 1999).Should().BeNull();
        timeline.At(Thread, 2000).Should().BeEmpty("the next thread has not switched yet");
        timeline.At(Thread, 2001).Should().Equal(watcher);
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
        FlowTimeline timeline = NewTimeline(out FlowLog log);
        WeakReference stopped = Stop(timeline, log);

        timeline.MoveTo(40);

        GC.Collect();
        stopped.IsAlive.Should().BeFalse("a profile may run as long as the application, and must not keep stopped watchers alive");
        timeline.At(Thread, 41).Should().BeEmpty();

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

        timeline.MoveTo(2500);
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
        long before = System.Diagnostics.Stopwatch.GetTimestamp();
        first.Stop();
        long after = System.Diagnostics.Stopwatch.GetTimestamp();
        thread.End(); // a switch, after the first watcher was stopped by another thread
        timeline.Refresh();

        timeline.At(id, before).Should().Equal(first);
        timeline.At(id, after).Should().BeEmpty("the watcher was stopped");
        timeline.Forget(id, System.Diagnostics.Stopwatch.GetTimestamp());
        timeline.At(id, System.Diagnostics.Stopwatch.GetTimestamp()).Should().BeEmpty("another thread may reuse the ID");
    }

    [Fact]
    public void A_thread_that_never_switches_is_dropped_at_its_end()
    {
        using var thread = new ThreadInFlow();
        using FlowRecorder recorder = FlowRecorder.Start();
        var timeline = new FlowTimeline(recorder);

        timeline.At(thread.Id, 1).Should().ContainSingle();
        timeline.Forget(thread.Id, 2);
        timeline.At(thread.Id, 3).Should().BeEmpty();
    }

    [Fact]
    public void A_stop_is_kept_while_a_thread_that_never_switches_is_in_the_flow()
    {
        using var thread = new ThreadInFlow();
        using FlowRecorder recorder = FlowRecorder.Start();
        var timeline = new FlowTimeline(recorder);
        thread.Watcher.Stop();
        timeline.Refresh();
        long stopped = System.Diagnostics.Stopwatch.GetTimestamp();

        timeline.MoveTo(stopped);
        timeline.MoveTo(stopped + 1);

        timeline.At(thread.Id, stopped + 2).Should().BeEmpty();
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

    private FlowTimeline NewTimeline(out FlowLog log)
    {
        var timeline = new FlowTimeline(_recorder);
        timeline.Add(log = new FlowLog(_recorder, Thread, 1, before: null));
        return timeline;
    }

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
