using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>
/// Measures an async flow in the thread pool, like a request, that repeatedly submits an empty piece of work and awaits it. The result of a
/// repetition is its median, because all threads are asleep at the first submissions. It includes one reading of the clock.
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

    /// <summary>Measures the bytes that are allocated on all threads, after the flow has started. The flow itself, its task and the growth of the
    /// queue are less than a byte per operation, and are rounded off.</summary>
    public override double AllocatedBytes(int operations) => Task.Run(async () =>
    {
        await Loop(operations);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await Loop(operations);
        return Math.Floor((GC.GetTotalAllocatedBytes(precise: true) - before) / (double)operations);
    }).GetAwaiter().GetResult();

    /// <summary>Submits a piece of work. The caller must await the result immediately, and only once.</summary>
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

/// <summary>Submits with a given delegate.</summary>
internal sealed class SubmitsBy(string name, Func<Task> submit) : Submits(name)
{
    /// <summary><see langword="true"/> if the work runs in a <see cref="CpuWorkerPool"/>.</summary>
    public bool IsOfPool { get; private init; }

    /// <summary>Creates a contender that submits to a pool with one worker.</summary>
    public static SubmitsBy Pool(string name, Func<CpuWorkerPool, Task> submit)
    {
        CpuWorkerPool pool = new(new CpuWorkerPoolOptions { WorkerCount = 1 });
        return new(name, () => submit(pool)) { IsOfPool = true };
    }

    protected override Task Submit() => submit();
}

/// <summary>
/// The lower bound: a dedicated thread that never sleeps polls one volatile field for the work to complete. The hand-over has no queue, no limit and no
/// statistics, and uses a processor while it waits.
/// </summary>
internal sealed class HandOver : Submits
{
    // Between repetitions, the thread waits, so that the other contenders can use its processor.
    private readonly ManualResetEventSlim _isWanted = new();
    private volatile TaskCompletionSource? _slot;

    public HandOver()
        : base("hand-over to a spinning thread") =>
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
