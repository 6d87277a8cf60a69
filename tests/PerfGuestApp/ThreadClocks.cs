using Picollo;
using Picollo.Cpu;

/// <summary>Threads that burn and sleep, each with its clock beside the kernel's.</summary>
internal static class ThreadClocks
{
    /// <summary>Writes to each page of it.</summary>
    public static void Touch(byte[] memory)
    {
        for (int i = 0; i < memory.Length; i += Environment.SystemPageSize)
        {
            memory[i] = 1;
        }
    }

    /// <summary>Returns how often a clock went back, and the furthest that one was outside of two readings of the kernel's around it.</summary>
    public static int Follow(int threads, int rounds, out long furthest)
    {
        int errors = 0;
        long worst = 0;
        var gate = new Lock();
        var workers = Enumerable.Range(0, threads).Select(_ => new Thread(() =>
        {
            using var clock = new ThreadCpuClock();
            long last = 0, worstHere = 0;
            for (int i = 0; i < rounds; i++)
            {
                CpuUtils.AddChain256(50);
                if (i % 20 == 0)
                {
                    Thread.Sleep(1);
                }

                long before = CpuUsageReader.GetThreadTime();
                long now = clock.GetNanoseconds();
                long after = CpuUsageReader.GetThreadTime();
                if (now < last)
                {
                    Interlocked.Increment(ref errors);
                }

                last = now;
                worstHere = Math.Max(worstHere, Math.Max(before - now, now - after));
            }

            lock (gate)
            {
                worst = Math.Max(worst, worstHere);
            }
        })).ToList();
        workers.ForEach(worker => worker.Start());
        workers.ForEach(worker => worker.Join());
        furthest = worst;
        return errors;
    }
}
