using Picollo.Cpu;
using Picollo.Interop.Linux;

namespace Picollo.Benchmarks.Cpu;

/// <summary>One reading of CPU time after the other.</summary>
/// <param name="read">The reading, as nanoseconds.</param>
internal sealed class Reads(string name, Func<long> read, int operations = 250) : Contender(name, operations)
{
    private long _sum;

    /// <summary>Whether it is a reading of Picollo's, not one that they are compared with.</summary>
    public bool IsOurs { get; init; } = true;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        Func<long> reading = read;
        long sum = 0;
        for (int i = 0; i < operations; i++)
        {
            sum += reading();
        }

        _sum += sum;
    }

    public override void Verify()
    {
        long first = read();
        Require(first >= 0 && read() >= first, "no time, or one that goes back.");
    }
}

/// <summary>Readings that Picollo's are compared with.</summary>
internal static class BareReads
{
    /// <summary>What no total-only read can be faster than: the one call, through the same P/Invoke.</summary>
    public static unsafe long Clock()
    {
        LibC.Timespec time = default;
        _ = LibC.clock_gettime(LibC.CLOCK_THREAD_CPUTIME_ID, &time);
        return time.TotalNanoseconds;
    }

    /// <summary>What the document's implementation calls: steps of 4 ms.</summary>
    public static unsafe long ResourceUsage()
    {
        LibC.Rusage usage = default;
        _ = LibC.getrusage(LibC.RUSAGE_THREAD, &usage);
        return usage.User.TotalNanoseconds + usage.Kernel.TotalNanoseconds;
    }

    /// <summary>What no split read of a step of 1 µs can be faster than: the two calls.</summary>
    public static long ClockAndResourceUsage()
    {
        Clock();
        return ResourceUsage();
    }

    /// <summary>The object keeps what it has read, so each reading takes a new one.</summary>
    public static long ProcessObject()
    {
        using Process self = Process.GetCurrentProcess();
        return self.TotalProcessorTime.Ticks * TimeSpan.NanosecondsPerTick;
    }
}

/// <summary>A thread that sleeps as long as the process lives.</summary>
internal static class OtherThread
{
    /// <returns>The thread's ID.</returns>
    public static long Start()
    {
        long id = 0;
        using ManualResetEventSlim started = new();
        new Thread(() =>
        {
            id = CpuUsageReader.GetThreadId();
            started.Set();
            Thread.Sleep(Timeout.Infinite);
        })
        { IsBackground = true }.Start();
        started.Wait();
        return id;
    }
}
