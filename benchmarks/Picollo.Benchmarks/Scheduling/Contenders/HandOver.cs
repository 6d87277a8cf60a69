namespace Picollo.Benchmarks.Scheduling.Contenders;

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
