namespace Picollo.Metrics;

/// <summary>Assigns small, dense numbers to the threads that record. The first number is 1, and the highest is the peak number of such
/// threads that were alive at the same time.</summary>
/// <remarks>When a thread has ended, its number is reused for the next new thread. Managed thread IDs are not suitable: the runtime reuses
/// them at unknown times, and they also increase for threads that never record.</remarks>
internal static class ThreadNumber
{
    /// <summary>The value for a thread without a number. It makes the thread's first record leave the fast path.</summary>
    public const uint None = 0;

    // The owner of each number; [0] is always null. Ended threads remain in the list until their number is needed. Guarded by Owners
    // itself.
    private static readonly List<Thread?> Owners = [null];

    /// <summary>The calling thread's number, or <see cref="None"/>.</summary>
    public static uint Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (uint)OfThread.Current;
    }

    /// <summary>Returns the calling thread's number. Assigns one if it has none.</summary>
    public static uint GetOrAssign()
    {
        if (OfThread.Current == None)
        {
            OfThread.Current = (int)Assign(Thread.CurrentThread);
        }

        return (uint)OfThread.Current;
    }

    private static uint Assign(Thread thread)
    {
        lock (Owners)
        {
            for (int number = 1; number < Owners.Count; number++)
            {
                if (Owners[number]!.IsAlive)
                {
                    continue;
                }

                // The new owner must see the last plain increments of the ended thread, because it continues with the same counters.
                Interlocked.MemoryBarrier();
                Owners[number] = thread;
                return (uint)number;
            }

            Owners.Add(thread);
            return (uint)(Owners.Count - 1);
        }
    }

    /// <summary>Contains only the thread-static field. A primitive field in a class without a static constructor is at a constant offset in
    /// the thread's static block, and the JIT can hoist the address of the block out of a loop. In a class with an initialized static
    /// field, every access takes two checks (2.9 ns per record instead of 1.1, November 2026). A field of a reference type has the same
    /// cost.</summary>
    private static class OfThread
    {
        [ThreadStatic]
        public static int Current;
    }
}
