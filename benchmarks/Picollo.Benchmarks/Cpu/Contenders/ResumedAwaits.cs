using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Cpu;

namespace Picollo.Benchmarks.Cpu.Contenders;

/// <summary>
/// A flow that awaits for ever, resumed again and again: the thread takes up the flow's context, runs to the next await, and
/// leaves the context. All on one thread, and nothing else is in the figure.
/// </summary>
internal sealed class ResumedAwaits : Contender
{
    private static readonly AsyncLocal<object?> Notifying = new(static _ => { });

    private readonly Slot _slot = new();

    /// <param name="name">Its name.</param>
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

    /// <exception cref="InvalidOperationException">The flow is not resumed, or not watched.</exception>
    public override void Verify()
    {
        long awaits = AwaitCount;
        long switches = Watcher?.SwitchCount ?? 0;
        Run(Operations);
        if (AwaitCount - awaits != Operations || (Watcher is { } watcher && watcher.SwitchCount - switches != Operations))
        {
            throw new InvalidOperationException($"{Name}: resumed {AwaitCount - awaits} times, not {Operations}.");
        }
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
