namespace Picollo.Scheduling;

/// <summary>Interrupts of threads that run code of the application. A pending interrupt takes effect when the thread blocks next. In code
/// of the pool or of the runtime, where no handler expects it, it would end the process or lose a continuation.</summary>
internal static class Interrupts
{
    private static readonly ManualResetEvent Set = new(initialState: true);

    /// <summary>Removes a pending interrupt of the calling thread. Takes about 0.15 µs: this is the fastest of the waits that check for
    /// interrupts (compared with Join, Sleep and Monitor.Wait, 2026-11-26).</summary>
    /// <returns>Whether there was one.</returns>
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
