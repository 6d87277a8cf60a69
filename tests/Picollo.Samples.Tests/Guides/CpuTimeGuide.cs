using Microsoft.AspNetCore.Builder;
using Picollo.Cpu;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/cpu-time.md.</summary>
internal static class CpuTimeGuide
{
    public static void ThreadTime()
    {
        CpuUsage start = CpuUsageReader.GetByThread();
        DoWork();
        Console.WriteLine("CPU usage: " + (CpuUsageReader.GetByThread() - start)); // CPU usage: 12.345 ms (user 12.001 ms, kernel 0.344 ms)

        static void DoWork() => Array.Sort([.. Enumerable.Range(0, 1_000_000).Select(number => Math.Sin(number))]);
    }

    public static long ThreadTotal()
    {
        long start = CpuUsageReader.GetThreadTimeNanoseconds();
        DoWork();
        long nanoseconds = CpuUsageReader.GetThreadTimeNanoseconds() - start;

        return nanoseconds;
    }

    public static string? OtherProcess(int processId)
    {
        Console.WriteLine(CpuUsageReader.TryGetByProcess(processId, out CpuUsage usage, out MeasurementUnavailableException? failure)
            ? usage.ToString("ms", null)
            : failure.Message);                                       // There is no process 4711; it may have exited.

        return failure?.Message;
    }

    public static void WatchedProcess(int processId, HashSet<int> watched)
    {
        try
        {
            Console.WriteLine(CpuUsageReader.GetByProcess(processId));
        }
        catch (MeasurementUnavailableException e) when (e.Cause == MeasurementUnavailableCause.TargetNotFound)
        {
            watched.Remove(processId); // the process has exited
        }
    }

    public static async Task<CpuUsage> WatchingAsync()
    {
        using var watcher = new CpuUsageAsyncWatcher();
        await HandleRequest();
        watcher.Stop();
        Console.WriteLine($"{watcher.GetSummaryCpuUsage()} in {watcher.WallTime.TotalMilliseconds:0.0} ms, {watcher.SwitchCount} switches");

        return watcher.GetSummaryCpuUsage();
    }

    public static async Task<IReadOnlyList<CpuFlowSegment>> ListingAsync()
    {
        var watcher = new CpuUsageAsyncWatcher(listSwitches: true);
        await HandleRequest();
        watcher.Stop();
        Console.Write(watcher.ToHumanString(taskDescription: "a request"));
        foreach (CpuFlowSegment segment in watcher.Totals)
        {
            Console.WriteLine($"{segment.Duration.TotalSeconds:0.000} s, {segment.CpuShare:P0} of a CPU, {segment.CpuUsage}");
        }

        return watcher.Totals;
    }

    public static async Task<(CpuUsage Used, long Total)> MeasuringWorkAsync()
    {
        CpuUsage used = await CpuUsageAsyncWatcher.MeasureAsync(HandleRequest);
        long total = await CpuUsageAsyncWatcher.MeasureTotalNanosecondsAsync(HandleRequest); // the cheaper clock

        return (used, total);
    }

    public static CpuStates Machine()
    {
        using var cpu = new SystemCpu(SystemCpuParts.All);
        Thread.Sleep(1000);
        cpu.Update();
        Console.WriteLine(cpu.Total);                                 // 50.5 us,  0.5 sy,  0.0 ni, 49.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
        foreach (ProcessCpu process in cpu.Processes)
        {
            Console.WriteLine($"{process.Id} {process.Name} {process.State} {process.Nice} {process.Share:P0}");
        }

        Console.WriteLine(cpu.LimitingCgroup?.Limit?.ToString() ?? cpu.GetUnavailableReason(SystemCpuParts.Cgroup) ?? "no limit");

        return cpu.Total;
    }

    private static async Task HandleRequest()
    {
        DoWork();
        await Task.Yield();
        DoWork();
    }

    private static void DoWork() => Thread.SpinWait(100);

    /// <summary>A startup class of ASP.NET Core.</summary>
    public interface IStartup
    {
        void Configure(IApplicationBuilder app);
    }

    /// <summary>The middleware in the document of Universe.CpuUsage.</summary>
    public sealed class Startup : IStartup
    {
        public void Configure(IApplicationBuilder app)
        {
            // Displays the CPU usage of all tasks that the ASP.NET Core pipeline executes during each HTTP request.
            app.Use(async (context, next) =>
            {
                CpuUsageAsyncWatcher watcher = new CpuUsageAsyncWatcher();
                await next.Invoke();
                watcher.Stop();
                Console.WriteLine($"Cpu Usage by http request is {watcher.GetSummaryCpuUsage()}");
            });
        }
    }
}
