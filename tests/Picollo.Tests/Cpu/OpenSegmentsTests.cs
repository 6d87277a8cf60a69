using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>A watcher that stops while other threads are in its flow.</summary>
[Collection(Alone.Name)]
public sealed class OpenSegmentsTests : IDisposable
{
    private const int Bytes = 100_000;
    private const int Tolerance = 10_000; // other allocations of the threads
    private readonly TimeSpan _maxWait = OpenSegments.MaxWait;
    private readonly List<long> _recorded = [];

    public OpenSegmentsTests() => OpenSegments.MaxWait = TimeSpan.FromMinutes(5);

    public void Dispose() => OpenSegments.MaxWait = _maxWait;

    [Fact]
    public void The_first_end_of_each_segment_counts_and_a_later_segment_of_its_thread_does_not()
    {
        CpuUsageAsyncWatcher watcher = Start();
        using var first = new FlowThread();
        using var second = new FlowThread();
        first.Enter(Bytes);
        second.Enter(Bytes);
        watcher.StopFor(null, waits: true)!.OnEnded(_recorded.Add);
        for (int i = 0; i < 3; i++)
        {
            first.Leave();
            first.Enter(Bytes);
        }

        _recorded.Should().BeEmpty("the second segment has not ended");
        watcher.IsCounting.Should().BeTrue();
        second.Leave();

        _recorded.Should().ContainSingle().Which.Should().BeInRange(2 * Bytes, (2 * Bytes) + Tolerance);
        watcher.IsCounting.Should().BeFalse("it no longer waits");
    }

    [Fact]
    public void The_flow_keeps_its_successor_and_its_label_during_the_wait()
    {
        var label = new FlowLabel("GET", "/x");
        foreach (CpuUsageAsyncWatcher? successor in new[] { null, CpuUsageAsyncWatcher.MakeSuccessor(label) })
        {
            CpuUsageAsyncWatcher watcher = Start();
            watcher.Label = label;
            using FlowThread thread = new(), other = new();
            thread.Enter(Bytes);
            other.Enter(Bytes);
            watcher.StopFor(successor, waits: true)!.OnEnded(_recorded.Add);
            watcher.Label.Should().BeSameAs(label);
            thread.Run(static () => Burn.User(TimeSpan.FromMilliseconds(20)));
            thread.Leave();
            (successor?.GetTotalNanoseconds() ?? 20_000_000).Should().BeGreaterThanOrEqualTo(20_000_000);
            other.Leave();

            watcher.Label.Should().BeSameAs(label);
            thread.Enter(Bytes);
            thread.Run(static () => Burn.User(TimeSpan.FromMilliseconds(20)));
            thread.Leave();
            (successor?.GetTotalNanoseconds() ?? 40_000_000).Should().BeGreaterThanOrEqualTo(40_000_000, "it also counts after the wait");
        }

        _recorded.Should().HaveCount(2);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_limit_does_not_record_again_and_does_not_keep_the_flow()
    {
        OpenSegments.MaxWait = TimeSpan.FromMilliseconds(20);
        var flow = new AsyncLocal<string?> { Value = "caller" };
        CpuUsageAsyncWatcher watcher = Start();
        using var thread = new FlowThread();
        thread.Enter(Bytes);
        TaskCompletionSource<string?> late = new(TaskCreationOptions.RunContinuationsAsynchronously);
        watcher.StopFor(null, waits: true)!.OnEnded(_ => late.SetResult(flow.Value)); // throws if it is called twice
        (await late.Task.WaitAsync(TimeSpan.FromMinutes(1))).Should().BeNull();
        thread.Leave();

        watcher = Start();
        using var other = new FlowThread();
        other.Enter(Bytes);
        int count = 0;
        watcher.StopFor(null, waits: true)!.OnEnded(_ => Interlocked.Increment(ref count));
        other.Leave();
        await Task.Delay(200); // later than the limit
        count.Should().Be(1);
    }

    [Fact]
    public async Task A_record_that_is_interrupted_is_made_at_the_limit()
    {
        OpenSegments.MaxWait = TimeSpan.FromSeconds(0.5);
        CpuUsageAsyncWatcher watcher = Start();
        ExecutionContext context = ExecutionContext.Capture()!;
        bool isEntered = false, mayLeave = false;
        Exception? later = null;
        var thread = new Thread(() =>
        {
            ExecutionContext.Run(
                context,
                _ =>
                {
                    GC.KeepAlive(new byte[Bytes]);
                    Volatile.Write(ref isEntered, true);
                    SpinWait.SpinUntil(() => Volatile.Read(ref mayLeave));
                },
                null);
            later = Record.Exception(() => Thread.Sleep(1));
        });
        thread.UnsafeStart();
        SpinWait.SpinUntil(() => Volatile.Read(ref isEntered));
        TaskCompletionSource<long> recorded = new(TaskCreationOptions.RunContinuationsAsynchronously);
        int calls = 0;
        watcher.StopFor(null, waits: true)!.OnEnded(bytes =>
        {
            if (Interlocked.Increment(ref calls) == 1)
            {
                throw new ThreadInterruptedException();
            }

            recorded.SetResult(bytes);
        });
        Volatile.Write(ref mayLeave, true);
        thread.Join();

        later.Should().BeOfType<ThreadInterruptedException>("it is left to the next wait of the thread");
        (await recorded.Task.WaitAsync(TimeSpan.FromMinutes(1))).Should().BeInRange(Bytes, Bytes + Tolerance);
    }

    [Fact]
    public void A_segment_ends_for_an_inner_watcher_that_stops_and_still_runs_for_the_outer_one()
    {
        CpuUsageAsyncWatcher outer = Start(), inner = Start();
        RunningSegment segment = new(ThreadSegment.OfThread!);
        inner.Stop();

        segment.IsUnchanged.Should().BeFalse();
        (segment.HasEnded(inner), segment.HasEnded(outer)).Should().Be((true, false));
        outer.Stop();
        segment.HasEnded(outer).Should().BeTrue();
    }

    private static CpuUsageAsyncWatcher Start() => new(CpuUsageDetail.TotalOnly, countsAllocations: true, listSwitches: false);

    /// <summary>A thread that enters and leaves the flow of its creator.</summary>
    private sealed class FlowThread : IDisposable
    {
        private readonly Thread _thread;
        private readonly SemaphoreSlim _go = new(0), _done = new(0);
        private ExecutionContext? _context;
        private Action _next = () => { };
        private bool _isInFlow;
        private bool _isOver;

        public FlowThread()
        {
            _thread = new Thread(() =>
            {
                while (!_isOver)
                {
                    Step();
                    if (_isInFlow)
                    {
                        ExecutionContext.Run(_context!, _ => RunInFlow(), null);
                        _done.Release();
                    }
                }
            });
            _thread.UnsafeStart();
        }

        public void Enter(int bytes)
        {
            _context ??= ExecutionContext.Capture()!;
            Run(() => _isInFlow = true);
            Run(() => GC.KeepAlive(new byte[bytes]));
        }

        public void Leave()
        {
            Run(() => _isInFlow = false);
            _done.Wait();
        }

        public void Run(Action next)
        {
            _next = next;
            _go.Release();
            _done.Wait();
        }

        public void Dispose()
        {
            if (_isInFlow)
            {
                Leave();
            }

            Run(() => _isOver = true);
            _thread.Join();
            _go.Dispose();
            _done.Dispose();
        }

        private void RunInFlow()
        {
            while (_isInFlow)
            {
                Step();
            }
        }

        private void Step()
        {
            _go.Wait();
            _next();
            _done.Release();
        }
    }
}
