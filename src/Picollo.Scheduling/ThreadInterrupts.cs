namespace Picollo.Scheduling;

/// <summary>Interrupts of threads that run code of the application. A pending interrupt takes effect when the thread blocks next. In code
/// of the pool or of the runtime, where no handler expects it, it would end the process or lose a continuation.</summary>
internal static class ThreadInterrupts
{
    private static readonly ManualResetEvent Set = new(initialState: true);

    /// <summary>Removes a pending interrupt of the calling thread. Takes about 0.15 µs: this is the fastest of the waits that check for
    /// interrupts (compared with Join, Sleep and Monitor.Wait, 2026-11-26). Returns whether there was one.</summary>
    public static bool Clear()
    {
        try
        {
            _ = Set.WaitOne(0);
            return false;
        }
        catch (ThreadInterruptedException)
        {
            return true;
        }
    }
}

/// <summary>A <see cref="Lock"/> that continues to wait if the thread is interrupted. A body may interrupt its worker, and the exception
/// would be thrown in the pool and end the process. The interrupt is deferred to the thread's next wait.</summary>
internal sealed class UninterruptedLock
{
    private readonly Lock _lock = new();

    public Scope Enter()
    {
        if (!_lock.TryEnter())
        {
            EnterContended();
        }

        return new Scope(_lock);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // a method with an exception handler is not inlined
    private void EnterContended()
    {
        bool isInterrupted = false;
        while (!TryWait())
        {
            isInterrupted = true;
        }

        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }

    private bool TryWait()
    {
        try
        {
            _lock.Enter();
            return true;
        }
        catch (ThreadInterruptedException)
        {
            return false;
        }
    }

    public readonly ref struct Scope(Lock entered)
    {
        public void Dispose() => entered.Exit();
    }
}
