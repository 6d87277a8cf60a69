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
    public static void WaitFor(TimeSpan time, Action acquire, Action release, Action? wait = null)
    {
        bool isHeld = false;
        ReleaseLater(time, release, () =>
        {
            acquire();
            Volatile.Write(ref isHeld, true);
        });
        SpinWait.SpinUntil(() => Volatile.Read(ref isHeld), Limit);
        if (wait is not null)
        {
            wait();
            return;
        }

        acquire();
        release();
    }

    /// <summary>Releases something after this thread has waited for it for at least a time.</summary>
    public static void ReleaseLater(TimeSpan time, Action release, Action? acquire = null)
    {
        Thread waiter = Thread.CurrentThread;
        string? task = new FileInfo("/proc/thread-self").LinkTarget; // null if this is not Linux
        new Thread(() =>
        {
            acquire?.Invoke();
            long start = Environment.TickCount64, since = start;
            while (Environment.TickCount64 - since < time.TotalMilliseconds && Environment.TickCount64 - start < Limit.TotalMilliseconds)
            {
                Thread.Sleep(1);
                since = IsWaiting() ? since : Environment.TickCount64;
            }

            release();
        }).UnsafeStart();

        // A thread that spins before it waits can lose its CPU in a call that looks like a wait. The kernel then reports that it could run.
        bool IsWaiting() => (waiter.ThreadState & ThreadState.WaitSleepJoin) != 0
            && (task is null || (File.ReadAllText($"/proc/{task}/stat") is var stat && stat[stat.LastIndexOf(')') + 2] == 'S'));
    }
}
