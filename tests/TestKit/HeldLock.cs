namespace Picollo.TestKit;

/// <summary>Locks that a test waits for.</summary>
internal static class HeldLock
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    /// <summary>Waits for a lock, whose holder releases it after this thread has waited for at least a time.</summary>
    public static void WaitFor(TimeSpan time)
    {
        object gate = new();
        WaitFor(time, () => Monitor.Enter(gate), () => Monitor.Exit(gate), () =>
        {
            lock (gate)
            {
            }
        });
    }

    /// <summary>Waits for what another thread has acquired, and releases after this thread has waited for at least a time. This thread has no
    /// other waits.</summary>
    public static void WaitFor(TimeSpan time, Action acquire, Action release, Action wait)
    {
        Thread waiter = Thread.CurrentThread;
        bool isHeld = false, isAtLock = false;
        new Thread(() =>
        {
            acquire();
            Volatile.Write(ref isHeld, true);
            SpinWait.SpinUntil(() => Volatile.Read(ref isAtLock) && (waiter.ThreadState & ThreadState.WaitSleepJoin) != 0, Limit);
            Thread.Sleep(time);
            release();
        }).UnsafeStart();
        SpinWait.SpinUntil(() => Volatile.Read(ref isHeld), Limit);
        Volatile.Write(ref isAtLock, true);
        wait();
    }
}
