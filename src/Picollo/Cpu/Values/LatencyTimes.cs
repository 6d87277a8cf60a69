namespace Picollo.Cpu;

/// <summary>Times in the states of a flow, in nanoseconds. Kernel is the part of Cpu in the kernel.</summary>
internal record struct LatencyTimes(
    long Cpu, long Kernel, long RunQueue, long Collection, long Lock, long Blocked, long PoolQueue, long Await);

/// <summary>Divides durations into states: the only place with the rules. Pure functions: each result has no negative part, and its parts
/// add up exactly to the duration, whatever the readings are.</summary>
internal static class LatencyAccount
{
    /// <summary>Divides the duration of a segment: the time of one thread in a flow. All times are in nanoseconds.</summary>
    /// <param name="wall">The duration.</param>
    /// <param name="cpu">The CPU time of the thread.</param>
    /// <param name="runQueue">The time in which the thread could run but had no CPU; 0 if unknown.</param>
    /// <param name="collection">The time in which garbage collections had stopped the process. With a workstation collector, the thread
    /// that allocates collects itself: such a pause is CPU time, too.</param>
    /// <remarks>The clocks are not read at the same moment, and a collection can take place while the thread waits for something else. So
    /// readings can contradict each other. They count in the order of their exactness, each for at most the rest of the duration: first the
    /// CPU time, then the run queue, then collections. What remains is a wait.</remarks>
    public static LatencyTimes DivideSegment(long wall, long cpu, long runQueue, long collection)
    {
        long rest = Math.Max(wall, 0);
        long onCpu = Take(ref rest, cpu);
        long queued = Take(ref rest, runQueue);
        long collecting = Take(ref rest, collection);
        return new LatencyTimes { Cpu = onCpu, RunQueue = queued, Collection = collecting, Blocked = rest };
    }

    /// <summary>Divides the duration of a flow. All times are in nanoseconds.</summary>
    /// <param name="wall">The duration.</param>
    /// <param name="active">The time in which at least one thread ran the flow.</param>
    /// <param name="segments">The sum of all segments.</param>
    /// <param name="locks">The time that the threads waited for locks in these segments. A wait that began before a collection was not
    /// caused by it, so waits for locks are taken first from the other waits, then from collections.</param>
    /// <param name="poolQueue">The estimated time that continuations waited for a thread.</param>
    /// <param name="kernelShare">The share of the CPU time in the kernel, 0 to 1.</param>
    public static LatencyTimes DivideFlow(
        long wall, long active, in LatencyTimes segments, long locks, long poolQueue, double kernelShare)
    {
        long rest = Math.Max(wall, 0);
        LatencyTimes times = Scale(WithLocks(segments, locks), Take(ref rest, active));
        times.Kernel = (long)(times.Cpu * Math.Clamp(kernelShare, 0, 1));
        times.PoolQueue = Take(ref rest, poolQueue);
        times.Await = rest;
        return times;
    }

    private static LatencyTimes WithLocks(LatencyTimes times, long locks)
    {
        long ofWaits = Math.Clamp(locks, 0, times.Blocked);
        long ofCollections = Math.Clamp(locks - ofWaits, 0, times.Collection);
        return times with
        {
            Lock = ofWaits + ofCollections,
            Blocked = times.Blocked - ofWaits,
            Collection = times.Collection - ofCollections,
        };
    }

    /// <summary>Scales the states of threads so that their sum is the time in which at least one of them ran the flow. If the sum is
    /// smaller, some segments are unknown: nothing but that they were in a flow.</summary>
    private static LatencyTimes Scale(LatencyTimes times, long active)
    {
        long sum = times.Cpu + times.RunQueue + times.Collection + times.Lock + times.Blocked;
        if (sum > active)
        {
            times.Cpu = Part(times.Cpu);
            times.RunQueue = Part(times.RunQueue);
            times.Collection = Part(times.Collection);
            times.Lock = Part(times.Lock);
        }

        // Also gets the few nanoseconds that rounding leaves.
        times.Blocked = active - times.Cpu - times.RunQueue - times.Collection - times.Lock;
        return times;

        long Part(long time) => (long)((Int128)time * active / sum);
    }

    private static long Take(ref long rest, long time)
    {
        long taken = Math.Clamp(time, 0, rest);
        rest -= taken;
        return taken;
    }
}
