using Picollo.Cpu;
using Picollo.Interop.Linux;

namespace Picollo.Benchmarks.Cpu;

/// <summary>Reads CPU time repeatedly.</summary>
/// <param name="name">The name of the contender.</param>
/// <param name="read">Returns the CPU time, in nanoseconds.</param>
/// <param name="operations">The number of readings in a repetition.</param>
internal sealed class Reads(string name, Func<long> read, int operations = 250) : Contender(name, operations)
{
    private long _sum;

    /// <summary><see langword="true"/> for a reading of Picollo; <see langword="false"/> for a reading to compare with.</summary>
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
        Require(first >= 0 && read() >= first, "the time is negative or has decreased.");
    }
}

/// <summary>Readings to compare with.</summary>
internal static class BareReads
{
    /// <summary>The lower bound for a reading of the total: one system call, with the same P/Invoke.</summary>
    public static unsafe long Clock()
    {
        LibC.Timespec time = default;
        _ = LibC.clock_gettime(LibC.CLOCK_THREAD_CPUTIME_ID, &time);
        return time.TotalNanoseconds;
    }

    /// <summary>The system call that Universe.CpuUsage uses, which has steps of 4 ms.</summary>
    public static unsafe long ResourceUsage()
    {
        LibC.Rusage usage = default;
        _ = LibC.getrusage(LibC.RUSAGE_THREAD, &usage);
        return usage.User.TotalNanoseconds + usage.Kernel.TotalNanoseconds;
    }

    /// <summary>The lower bound for a reading of user and kernel time with steps of 1 µs: two system calls.</summary>
    public static long ClockAndResourceUsage()
    {
        Clock();
        return ResourceUsage();
    }

    /// <summary>Reads the time of a new <see cref="Process"/>, because the object caches its readings.</summary>
    public static long ProcessObject()
    {
        using Process self = Process.GetCurrentProcess();
        return self.TotalProcessorTime.Ticks * TimeSpan.NanosecondsPerTick;
    }
}

/// <summary>A thread that sleeps until the process ends.</summary>
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
