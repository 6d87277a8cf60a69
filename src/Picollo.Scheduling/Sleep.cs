using System.Diagnostics;

namespace Picollo.Scheduling;

/// <summary>One thread sleeps here until another wakes it. A wake before the sleep is not lost; several count as one.</summary>
internal sealed class Sleep
{
    private const int Awake = 0, Asleep = 1, Woken = 2;

    private readonly object _gate = new();
    private int _state;

    /// <summary>Ends the sleep, or prevents the next one. Cheap where the thread is awake.</summary>
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

    /// <summary>Sleeps until it is woken or the time is over; called by the one thread.</summary>
    /// <param name="milliseconds">-1 for no limit.</param>
    public void Wait(int milliseconds = Timeout.Infinite)
    {
        while (true)
        {
            try
            {
                lock (_gate)
                {
                    // A thread that sees Asleep takes the lock before the pulse, so that the pulse comes after the wait began. It is
                    // Asleep before too where the last wait was interrupted.
                    if (Interlocked.CompareExchange(ref _state, Asleep, Awake) != Woken)
                    {
                        _ = Monitor.Wait(_gate, milliseconds);
                    }

                    Volatile.Write(ref _state, Awake);
                    return;
                }
            }
            catch (ThreadInterruptedException)
            {
                // Meant for a body that ran on this thread. The exception would end the process.
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

    /// <summary>Spins for a time, until it is woken, before it sleeps.</summary>
    /// <param name="ticks">The time to spin, in <see cref="Stopwatch"/> ticks.</param>
    /// <param name="longestGap">The longest time between two looks that does not count as a loss of the processor.</param>
    /// <returns>When it saw that it was woken; null if it slept, or lost the processor meanwhile.</returns>
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
