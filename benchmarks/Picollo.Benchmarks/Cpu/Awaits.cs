using Picollo.Cpu;

namespace Picollo.Benchmarks.Cpu;

/// <summary>
/// A flow that awaits for ever, resumed again and again: the thread takes up the flow's context, runs to the next await, and
/// leaves the context. All on one thread, and nothing else is in the figure.
/// </summary>
internal sealed class ResumedAwaits : Contender
{
    private static readonly AsyncLocal<object?> Notifying = new(static _ => { });

    private readonly Slot _slot = new();

    /// <param name="begin">What the flow begins with: it may make a watcher.</param>
    private ResumedAwaits(string name, Func<CpuUsageAsyncWatcher?> begin)
        : base(name, 250)
    {
        // What the flow begins with is in the flow, and does not leave it.
        _ = Flow(begin);
    }

    public static ResumedAwaits Bare() => new("a resumed await", () => null);

    public static ResumedAwaits Watched(CpuUsageDetail detail) => new($"a resumed await, {detail}", () => new CpuUsageAsyncWatcher(detail));

    /// <summary>What the runtime takes to tell of it: an empty handler in the watcher's place.</summary>
    public static ResumedAwaits Notified() => new("a resumed await, an empty handler", () =>
    {
        Notifying.Value = new object();
        return null;
    });

    public CpuUsageAsyncWatcher? Watcher { get; private set; }

    /// <summary>How often the flow has come to its await.</summary>
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
            $"resumed {AwaitCount - awaits} times, not {Operations}.");
    }

    private async Task Flow(Func<CpuUsageAsyncWatcher?> begin)
    {
        Watcher = begin();
        while (true)
        {
            AwaitCount++;
            await _slot;
        }
    }

    /// <summary>Keeps the one continuation there is.</summary>
    private sealed class Slot : ICriticalNotifyCompletion
    {
        private Action? _continuation;

        public bool IsCompleted => false;

        public Slot GetAwaiter() => this;

        public void GetResult()
        {
        }

        public void OnCompleted(Action continuation) => _continuation = continuation;

        // The builder gives a delegate that brings the flow's context with it, the same one each time.
        public void UnsafeOnCompleted(Action continuation) => _continuation = continuation;

        public void Resume() => _continuation!();
    }
}

/// <summary>
/// A flow that goes back to the thread pool again and again by <c>await Task.Yield()</c>. It is queued before its thread leaves it,
/// so while that thread reads its clock, another one that waits for work takes it: with a watcher nearly every await changes the
/// thread, and the figure has the hand-over in it.
/// </summary>
internal sealed class YieldingAwaits(string name, CpuUsageDetail? detail) : Contender(name, 500)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations) => Task.Run(() => Flow(0, operations)).GetAwaiter().GetResult();

    /// <summary>On all threads, once the flow is under way.</summary>
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
