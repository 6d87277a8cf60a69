using Picollo.Cpu;

namespace Picollo.Benchmarks.Cpu.Contenders;

internal struct ThreadTotal : IRead
{
    public static long Read() => CpuUsageReader.GetThreadTime();
}

internal struct ThreadSplit : IRead
{
    public static long Read() => CpuUsage.GetByThread().TotalNanoseconds;
}

internal struct ProcessTotal : IRead
{
    public static long Read() => CpuUsageReader.GetProcessTime();
}

internal struct ProcessSplit : IRead
{
    public static long Read() => CpuUsage.GetByProcess().TotalNanoseconds;
}

internal struct OtherThreadTotal : IRead
{
    public static long Read() => CpuUsageReader.GetThreadTime(OtherThread.Id);
}

internal struct OtherThreadSplit : IRead
{
    public static long Read() => CpuUsageReader.GetByThread(OtherThread.Id).TotalNanoseconds;
}

internal struct ProcessByIdTotal : IRead
{
    public static long Read() => CpuUsageReader.GetProcessTime(Environment.ProcessId);
}

internal struct ProcessByIdSplit : IRead
{
    public static long Read() => CpuUsageReader.GetByProcess(Environment.ProcessId).TotalNanoseconds;
}

/// <summary>A thread that sleeps as long as the process lives.</summary>
internal static class OtherThread
{
    public static readonly long Id = Start();

    private static long Start()
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
