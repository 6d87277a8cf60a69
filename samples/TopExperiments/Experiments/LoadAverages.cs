using System.Diagnostics;
using System.Globalization;
using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Samples.Top;

/// <summary>The load averages of the document, measured for a shorter time.</summary>
public static class LoadAverages
{
    private const int Seconds = 11;

    /// <summary>Computes the one-minute load average after a constant number of threads have run or waited for a CPU for a time. The average
    /// approaches this number with a time constant of one minute, in steps of 5 s (kernel/sched/loadavg.c).</summary>
    /// <param name="before">The load average at the start.</param>
    /// <param name="running">The number of threads that run or wait for a CPU.</param>
    /// <param name="time">The time that has passed.</param>
    public static double After(double before, double running, TimeSpan time)
    {
        double left = Math.Exp(-time.TotalMinutes);
        return (before * left) + (running * (1 - left));
    }

    public static void Run(TextWriter output)
    {
        int threads = Environment.ProcessorCount;
        using SystemCpu cpu = new(SystemCpuParts.LoadAverage | SystemCpuParts.RunQueue);
        if (cpu.LoadAverage1Minute is not { } before)
        {
            output.WriteLine($"Unavailable: {cpu.GetUnavailableReason(SystemCpuParts.LoadAverage)}");
            return;
        }

        List<int> running = [];
        long start = Stopwatch.GetTimestamp();
        using (WorkerProcess worker = new(new WorkerOptions(threads)))
        {
            worker.Go();
            for (int second = 0; second < Seconds; second++)
            {
                Thread.Sleep(TimeSpan.FromSeconds(1));
                cpu.Update();
                if (cpu.RunnableThreadCount is { } number)
                {
                    // Excludes this thread, which runs only to measure.
                    running.Add(number - 1);
                }
            }
        }

        TimeSpan time = Stopwatch.GetElapsedTime(start);
        double mean = running.Count > 0 ? running.Average() : threads;
        double after = cpu.LoadAverage1Minute ?? before;
        MarkdownTable table = new("lrr", ["1-minute load average", "document", "measured"]);
        table.Add("before", "", Text(before));
        table.Add($"after {time.TotalSeconds:0} s of {threads} threads", "", Text(after));
        table.Add($"computed for the observed {Text(mean)} threads that run or wait", "", Text(After(before, mean, time)));
        table.Add("after 4 minutes of 1 thread (computed, without other load)", "0.95", Text(After(0, 1, TimeSpan.FromMinutes(4))));
        table.Add($"after 4 minutes of {threads} threads (computed; document: 2 threads)", "2.52", Text(After(0, threads, TimeSpan.FromMinutes(4))));
        output.Write(table.ToString("Load average"));
        output.WriteLine("The average has a time constant of one minute, so a short run shows only its start.");
    }

    private static string Text(double number) => number.ToString("0.00", CultureInfo.InvariantCulture);
}
