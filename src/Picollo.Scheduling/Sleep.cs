using System.Diagnostics;

namespace Picollo.Scheduling;

/// <summary>Where one thread sleeps until another wakes it. A wake that comes before the sleep is not lost; several are one.</summary>
internal sealed class Sleep
{
    private const int Awake = 0, Asleep = 1, Woken = 2;

    private readonly object _gate = new();
    private int _state;

    /// <summary>Ends the sleep, or lets the next one not begin. Cheap where the thread is awake.</summary>
    public void Wake()
    {
        if (Interlocked.Exchange(ref _state, Woken) == Asleep)
        {
            lock (_gate)
            {
                Monitor.Pulse(_gate);
            }
        }
    }

    /// <summary>Returns when it is woken, or the time is up; by the one thread.</summary>
    /// <param name="milliseconds">-1 for any time.</param>
    public void Wait(int milliseconds = Timeout.Infinite)
    {
        lock (_gate)
        {
            // Who sees that it is asleep takes the lock before the pulse, so that the pulse comes after the wait began.
            if (Interlocked.CompareExchange(ref _state, Asleep, Awake) == Awake)
            {
                _ = Monitor.Wait(_gate, milliseconds);
            }

            Volatile.Write(ref _state, Awake);
        }
    }

    /// <summary>Looks for a time whether it is woken, before it sleeps.</summary>
    /// <param name="ticks">That time, in <see cref="Stopwatch"/> ticks.</param>
    /// <param name="longestGap">The longest from one look to the next that is not taken for a loss of the processor.</param>
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
