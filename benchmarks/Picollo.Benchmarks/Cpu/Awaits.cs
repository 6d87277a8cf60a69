using Picollo.Cpu;

namespace Picollo.Benchmarks.Cpu;

/// <summary>
/// A flow with an endless loop of awaits, which the benchmark resumes repeatedly. The thread enters the context of the flow, runs to the next
/// await, and leaves the context. Everything runs on one thread, and the figure includes nothing else.
/// </summary>
internal sealed class ResumedAwaits : Contender
{
    private static readonly AsyncLocal<object?> Notifying = new(static _ => { });

    private readonly Slot _slot = new();

    /// <param name="name">The name of the contender.</param>
    /// <param name="start">The action at the start of the flow. It can create a watcher.</param>
    private ResumedAwaits(string name, Func<CpuUsageAsyncWatcher?> start)
        : base(name, 250)
    {
        // The action runs inside the flow, so its changes of the context remain in the flow.
        _ = Flow(start);
    }

    public static ResumedAwaits Bare() => new("a resumed await", () => null);

    public static ResumedAwaits Watched(CpuUsageDetail detail) => new($"a resumed await with a watcher, {detail}", () => new CpuUsageAsyncWatcher(detail));

    /// <summary>Creates a contender with an empty handler instead of a watcher. It measures the cost of the notification by the runtime.</summary>
    public static ResumedAwaits Notified() => new("a resumed await with an empty notification handler", () =>
    {
        Notifying.Value = new object();
        return null;
    });

    public CpuUsageAsyncWatcher? Watcher { get; private set; }

    /// <summary>The number of times that the flow has reached its await.</summary>
    public long AwaitCount { get; private set; }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            _slot.Resume();
        }
    }

    public override void Verify()
    {
        long awaits = AwaitCount;
        long switches = Watcher?.SwitchCount ?? 0;
        Run(Operations);
        Require(
            AwaitCount - awaits == Operations && (Watcher is not { } watcher || watcher.SwitchCount - switches == Operations),
            $"resumed {AwaitCount - awaits} times; expected {Operations}.");
    }

    private async Task Flow(Func<CpuUsageAsyncWatcher?> start)
    {
        Watcher = start();
        while (true)
        {
            AwaitCount++;
            await _slot;
        }
    }

    /// <summary>An awaiter that stores the continuation.</summary>
    private sealed class Slot : ICriticalNotifyCompletion
    {
        private Action? _continuation;

        public bool IsCompleted => false;

        public Slot GetAwaiter() => this;

        public void GetResult()
        {
        }

        public void OnCompleted(Action continuation) => _continuation = continuation;

        // The delegate of the builder restores the context of the flow. It is the same delegate each time.
        public void UnsafeOnCompleted(Action continuation) => _continuation = continuation;

        public void Resume() => _continuation!();
    }
}

/// <summary>
/// A flow that returns to the thread pool repeatedly with <c>await Task.Yield()</c>. The flow is queued before its thread leaves it. While that
/// thread reads its clock, another waiting thread takes the flow. With a watcher, nearly every await therefore changes the thread, and the figure
/// includes the hand-over.
/// </summary>
internal sealed class YieldingAwaits(string name, CpuUsageDetail? detail) : Contender(name, 500)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations) => Task.Run(() => Flow(0, operations)).GetAwaiter().GetResult();

    /// <summary>Measures the bytes that are allocated on all threads, after the flow has started.</summary>
    public override double AllocatedBytes(int operations) =>
        Task.Run(() => Flow(operations / 10, operations)).GetAwaiter().GetResult() / (double)operations;

    private async Task<long> Flow(int warmUpOperations, int operations)
    {
        using CpuUsageAsyncWatcher? watcher = detail is { } known ? new CpuUsageAsyncWatcher(known) : null;
        for (int i = 0; i < warmUpOperations; i++)
        {
            await Task.Yield();
        }

        long before = warmUpOperations > 0 ? GC.GetTotalAllocatedBytes(precise: true) : 0;
        for (int i = 0; i < operations; i++)
        {
            await Task.Yield();
        }

        return warmUpOperations > 0 ? GC.GetTotalAllocatedBytes(precise: true) - before : 0;
    }
}
