namespace Picollo.Scheduling;

/// <summary>The one thread that watches the clock, so that no checkpoint has to. It sleeps while nothing runs.</summary>
internal sealed class SliceTimer
{
    private readonly CpuScheduler _scheduler;
    private readonly Sleep _sleep = new();

    public SliceTimer(CpuScheduler scheduler)
    {
        _scheduler = scheduler;
        new Thread(Run) { IsBackground = true, Name = $"{scheduler.Name} timer" }.UnsafeStart();
    }

    public void Wake() => _sleep.Wake();

    private void Run()
    {
        while (!_scheduler.HasEnded)
        {
            // A whole millisecond is the step of the runtime's waits: a slice ends up to one too late.
            _sleep.Wait(milliseconds: _scheduler.SignalOverdue() is { } wait
                ? (int)Math.Ceiling(wait.TotalMilliseconds)
                : Timeout.Infinite);
        }
    }
}
