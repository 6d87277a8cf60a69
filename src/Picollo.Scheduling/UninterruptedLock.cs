using System.Runtime.CompilerServices;

namespace Picollo.Scheduling;

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
