using Picollo;

namespace Version01App;

/// <summary>Prepares a thread and a CPU for a measurement.</summary>
public static class CpuUtilsProgram
{
    public static void Run()
    {
        var thread = new Thread(() =>
        {
            nint cpu = CpuUtils.GetCpu();
            bool pinned = CpuUtils.PrepareBenchmarkThread(coreId: (int)Math.Max(cpu, 0));
            Console.WriteLine($"pinned: {pinned}, moved: {pinned && CpuUtils.GetCpu() != cpu}");
        });
        thread.Start();
        thread.Join();

        double hertz = CpuUtils.WarmupCpu();
        Console.WriteLine($"clock: {hertz > 1e6 && hertz < 1e11}");
        Console.WriteLine($"thread: {CpuUtils.GetOsThreadId() != 0}");
        CpuUtils.AddChain256(blocks: 10);
    }
}
