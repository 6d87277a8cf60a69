using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>
/// An async flow in the thread pool, as a request is one, that submits an empty piece of work and awaits it, again and again. A
/// repetition's figure is its median, one clock reading included: the first submissions find everything asleep.
/// </summary>
internal abstract class Submits(string name) : Contender(name, 300)
{
    private readonly long[] _ticks = new long[300];

    public override void Run(int operations) => Task.Run(() => Loop(operations)).GetAwaiter().GetResult();

    public override double Measure()
    {
        Run(WarmUpOperations);
        Task.Run(Time).GetAwaiter().GetResult();
        Array.Sort(_ticks);
        return _ticks[_ticks.Length / 2] * (1e9 / Stopwatch.Frequency);
    }

    /// <summary>On all threads, once the flow is under way. The flow itself, its task and what the queue grows by do not count: they are
    /// not whole bytes an operation.</summary>
    public override double AllocatedBytes(int operations) => Task.Run(async () =>
    {
        await Loop(operations);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await Loop(operations);
        return Math.Floor((GC.GetTotalAllocatedBytes(precise: true) - before) / (double)operations);
    }).GetAwaiter().GetResult();

    /// <summary>To be awaited once, at once.</summary>
    protected abstract Task Submit();

    private async Task Loop(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            await Submit();
        }
    }

    private async Task Time()
    {
        long last = Stopwatch.GetTimestamp();
        for (int i = 0; i < _ticks.Length; i++)
        {
            await Submit();
            long now = Stopwatch.GetTimestamp();
            _ticks[i] = now - last;
            last = now;
        }
    }
}

/// <summary>By a way that a caller may choose.</summary>
internal sealed class SubmitsBy(string name, Func<Task> submit) : Submits(name)
{
    /// <summary>Whether the work goes through a <see cref="CpuWorkerPool"/>.</summary>
    public bool IsOfPool { get; private init; }

    /// <summary>Through a pool of one worker.</summary>
    public static SubmitsBy Pool(string name, Func<CpuWorkerPool, Task> submit)
    {
        CpuWorkerPool pool = new(new CpuWorkerPoolOptions { WorkerCount = 1 });
        return new(name, () => submit(pool)) { IsOfPool = true };
    }

    protected override Task Submit() => submit();
}

/// <summary>
/// The floor: one volatile field, in which a dedicated thread that never sleeps finds what to complete. No queue, no cap, no
/// statistics, and a processor burnt while it waits.
/// </summary>
internal sealed class HandOver : Submits
{
    // Between repetitions it lets the others have its processor.
    private readonly ManualResetEventSlim _isWanted = new();
    private volatile TaskCompletionSource? _slot;

    public HandOver()
        : base("a field that a spinning thread looks at") =>
        new Thread(Look) { IsBackground = true, Name = "Hand-over" }.Start();

    public override void Run(int operations) => WhileLooking(() => base.Run(operations));

    public override double Measure()
    {
        double nanoseconds = 0;
        WhileLooking(() => nanoseconds = base.Measure());
        return nanoseconds;
    }

    protected override Task Submit()
    {
        var completion = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _slot = completion;
        return completion.Task;
    }

    private void WhileLooking(Action action)
    {
        bool isOuter = !_isWanted.IsSet;
        _isWanted.Set();
        action();
        if (isOuter)
        {
            _isWanted.Reset();
        }
    }

    private void Look()
    {
        while (true)
        {
            _isWanted.Wait();
            while (_isWanted.IsSet)
            {
                if (_slot is { } completion)
                {
                    _slot = null;
                    completion.SetResult();
                }
            }
        }
    }
}
