using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>Reads and sets the CPUs that a thread may run on, for any number of CPUs.</summary>
internal static unsafe class CpuMask
{
    // 1024 CPUs, as in the C library. A kernel with more CPUs refuses a smaller mask (sched_setaffinity(2)). Its maximum is currently 8192.
    private const int DefaultWords = 16;
    private const int MaxWords = 8192;
    private const int BitsPerWord = 64;

    /// <summary>Returns the CPUs in ascending order; null if the call fails, which sets the last error.</summary>
    /// <param name="thread">The thread's ID; 0 for the calling thread. The ID of a process means its main thread.</param>
    public static int[]? Get(int thread)
    {
        for (int words = DefaultWords; words <= MaxWords; words *= 2)
        {
            ulong[] mask = new ulong[words];
            fixed (ulong* pointer = mask)
            {
                if (LibC.sched_getaffinity(thread, (nuint)words * sizeof(ulong), pointer) >= 0)
                {
                    return Cpus(mask);
                }
            }

            if (Marshal.GetLastPInvokeError() != Errno.EINVAL)
            {
                return null;
            }
        }

        return null;
    }

    /// <summary>Pins the calling thread. Returns 0 or an error number.</summary>
    public static int Pin(int cpu)
    {
        if (cpu >= MaxWords * BitsPerWord)
        {
            return Errno.EINVAL;
        }

        ulong[] mask = new ulong[Math.Max(DefaultWords, (cpu / BitsPerWord) + 1)];
        mask[cpu / BitsPerWord] = 1UL << (cpu % BitsPerWord);
        fixed (ulong* pointer = mask)
        {
            return LibC.sched_setaffinity(0, (nuint)mask.Length * sizeof(ulong), pointer) == 0 ? 0 : Marshal.GetLastPInvokeError();
        }
    }

    public static int[] Cpus(ulong[] mask) =>
        [.. Enumerable.Range(0, mask.Length * BitsPerWord).Where(i => (mask[i / BitsPerWord] & (1UL << (i % BitsPerWord))) != 0)];

    /// <summary>Formats CPU numbers in the kernel's format: 0-3,8.</summary>
    public static string Format(ReadOnlySpan<int> ascending)
    {
        List<string> parts = [];
        for (int i = 0; i < ascending.Length;)
        {
            int start = i;
            while (++i < ascending.Length && ascending[i] == ascending[i - 1] + 1)
            {
            }

            parts.Add(i - start == 1 ? $"{ascending[start]}" : $"{ascending[start]}-{ascending[i - 1]}");
        }

        return string.Join(',', parts);
    }
}
