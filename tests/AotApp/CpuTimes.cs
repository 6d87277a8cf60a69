using System.Diagnostics;
using Picollo.Cpu;
using Picollo.Diagnostics;

namespace AotApp;

/// <summary>Measures the CPU time of threads, the process, the machine, async flows, spans and commands.</summary>
internal static class CpuTimes
{
    private static readonly TimeSpan Work = TimeSpan.FromMilliseconds(30);

    public static async Task Run()
    {
        CpuUsage thread = CpuUsageReader.GetByThread(), process = CpuUsageReader.GetByProcess();
        Burn();
        thread = CpuUsageReader.GetByThread() - thread;
        process = CpuUsageReader.GetByProcess() - process;
        Facts.Print("thread", thread.Total >= Work);
        Facts.Print("process", process.Total >= Work);
        using SystemCpu machine = new(SystemCpuParts.All);
        machine.Update();
        Facts.Print("machine", machine.Cpus.Count > 0 && machine.Processes.Count > 0);

        // The flow uses CPU time before and after an await.
        CpuUsageAsyncWatcher watcher = new();
        Burn();
        await Task.Run(Burn);
        watcher.Stop();
        Facts.Print("watcher", watcher.GetSummaryCpuUsage().Total >= 2 * Work);

        using ActivitySource source = new("AotApp");
        using ActivityCpuMeter spans = ActivityCpuMeter.Start("AotApp");
        using ActivityListener tracer = new()
        {
            ShouldListenTo = _ => true,
            Sample = (ref _) => ActivitySamplingResult.AllDataAndRecorded,
        };
        ActivitySource.AddActivityListener(tracer);
        using (Activity span = source.StartActivity("work")!)
        {
            await Task.Run(Burn);
            span.Stop();
            Facts.Print("span", (double)span.GetTagItem(ActivityCpuMeter.UserTag)! + (double)span.GetTagItem(ActivityCpuMeter.KernelTag)! > 0);
        }

        CommandMeter meter = new();
        CommandRun run = meter.Run("sh", "-c", "exit 3");
        Facts.Print("command", run.ExitCode);
        Facts.Print("command-limit", meter.UnavailableReason);

        using JitterMeter jitter = JitterMeter.Start(new JitterMeterOptions { Loops = 10 });
        await jitter.Completion;
        Facts.Print("jitter", jitter.Cpus.All(cpu => cpu.Histogram.TotalCount == 10));
    }

    // Uses CPU time of this thread.
    private static void Burn()
    {
        long start = CpuUsageReader.GetThreadTimeNanoseconds();
        while (CpuUsageReader.GetThreadTimeNanoseconds() - start < Work.TotalNanoseconds + 1_000_000)
        {
        }
    }
}
