namespace Picollo.Cpu;

/// <summary>How long a thread was runnable and did not run, over its life.</summary>
/// <param name="ThreadId">The system's ID of the thread.</param>
/// <param name="Nanoseconds">The waits that are over.</param>
/// <param name="Runs">The number of times it got a CPU. A smaller number than before: the ID now belongs to another thread.</param>
internal readonly record struct ThreadWait(long ThreadId, long Nanoseconds, long Runs)
{
    /// <summary>The wait since an earlier sample: all of it for a thread that the sample did not contain.</summary>
    public long Since(SampleTable<ThreadWait> before) =>
        before.TryFind(ThreadId, out ThreadWait earlier) && earlier.Runs <= Runs && earlier.Nanoseconds <= Nanoseconds
            ? Nanoseconds - earlier.Nanoseconds
            : Nanoseconds;

    /// <summary>The sum of <see cref="Since"/> over several threads, at most <see cref="long.MaxValue"/>.</summary>
    public static long SumSince(SampleTable<ThreadWait> before, ReadOnlySpan<ThreadWait> waits)
    {
        long sum = 0;
        foreach (ref readonly ThreadWait wait in waits)
        {
            sum += Math.Min(wait.Since(before), long.MaxValue - sum);
        }

        return sum;
    }
}
