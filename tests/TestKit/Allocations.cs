namespace Picollo.TestKit;

/// <summary>Counts the bytes that code allocates on its thread.</summary>
internal static class Allocations
{
    /// <summary>Returns the allocated bytes of a hundred calls after a warm-up. It is the minimum of several rounds, which excludes
    /// one-time effects (code that is compiled again, a pool that a collection on another thread has emptied).</summary>
    public static long InSteadyState(Action action)
    {
        const int Rounds = 10;
        const int Calls = 100;
        long least = long.MaxValue;
        for (int round = 0; round < Rounds; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int call = 0; call < Calls; call++)
            {
                action();
            }

            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }
}
