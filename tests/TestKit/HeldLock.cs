namespace Picollo.TestKit;

/// <summary>A lock that another thread holds.</summary>
internal static class HeldLock
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    /// <summary>Waits for a lock, whose holder releases it after this thread has waited for at least a time.</summary>
    public static void WaitFor(TimeSpan time)
    {
        object gate = new();
        WaitFor(time, () => Monitor.Enter(gate), () => Monitor.Exit(gate));
    }

    /// <inheritdoc cref="WaitFor(TimeSpan)"/>
    public static void WaitFor(TimeSpan time, Action enter, Action exit)
    {
        Thread waiter = Thread.CurrentThread;
        using ManualResetEventSlim held = new();
        bool isAtLock = false;
        Thread holder = new(() =>
        {
            enter();
            held.Set();
            SpinWait.SpinUntil(() => Volatile.Read(ref isAtLock) && (waiter.ThreadState & ThreadState.WaitSleepJoin) != 0, Limit);
            Thread.Sleep(time);
            exit();
        });
        holder.UnsafeStart();
        held.Wait();
        Volatile.Write(ref isAtLock, true);
        enter();
        exit();
        holder.Join();
    }
}
