namespace Picollo.Scheduling;

/// <summary>Lets one thread sleep until another thread wakes it. A wake-up before the sleep is not lost: it ends the next sleep
/// immediately. Several wake-ups count as one.</summary>
internal sealed class Sleep
{
    private const int Awake = 0, Asleep = 1, Woken = 2;

    private readonly object _gate = new();
    private int _state;

    /// <summary>Ends the sleep, or prevents the next one. Cheap if the thread is awake.</summary>
    public void Wake()
    {
        if (Interlocked.Exchange(ref _state, Woken) != Asleep)
        {
            return;
        }

        bool isInterrupted = false;
        while (!TryPulse())
        {
            isInterrupted = true;
        }

        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt(); // for the caller's next wait
        }
    }

    /// <summary>Sleeps until the thread is woken or the timeout expires; -1 for none. Only one thread may call it.</summary>
    public void Wait(int milliseconds = Timeout.Infinite)
    {
        while (true)
        {
            try
            {
                lock (_gate)
                {
                    // A thread that sees Asleep takes the lock before the pulse, so that the pulse follows the start of the wait. The
                    // state is already Asleep if the last wait was interrupted, or if a pulse has arrived late: after an interrupt had
                    // ended the wait for it.
                    while (Interlocked.CompareExchange(ref _state, Asleep, Awake) != Woken && Monitor.Wait(_gate, milliseconds))
                    {
                    }

                    Volatile.Write(ref _state, Awake);
                    return;
                }
            }
            catch (ThreadInterruptedException)
            {
                // The interrupt was intended for a body that ran on this thread. The exception would end the process.
            }
        }
    }

    private bool TryPulse()
    {
        try
        {
            lock (_gate)
            {
                Monitor.Pulse(_gate);
                return true;
            }
        }
        catch (ThreadInterruptedException)
        {
            return false;
        }
    }

    /// <summary>Spins until the thread is woken, and sleeps if it is not woken in time, in ticks of <see cref="Stopwatch"/>. After a longer
    /// gap between two checks, the thread is assumed to have lost its processor. Returns the time at which it noticed the wake-up; null if
    /// it slept or lost its processor.</summary>
    public long? SpinAndWait(long ticks, long longestGap)
    {
        long now = Stopwatch.GetTimestamp();
        bool isSteady = true;
        for (long end = now + ticks; now < end;)
        {
            Thread.SpinWait(1);
            long last = now;
            now = Stopwatch.GetTimestamp();
            isSteady &= now - last <= longestGap;
            if (Volatile.Read(ref _state) == Woken)
            {
                Volatile.Write(ref _state, Awake);
                return isSteady ? now : null;
            }
        }

        Wait();
        return null;
    }
}
