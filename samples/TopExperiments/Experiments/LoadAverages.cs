using System.Diagnostics;
using System.Globalization;
using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Samples.Top;

/// <summary>The document's load averages, as far as they get in a short time.</summary>
public static class LoadAverages
{
    private const int Seconds = 11;

    /// <summary>The one-minute average after a while with so many threads that run or wait for a CPU: it closes in on their
    /// number with a time constant of a minute, in steps of 5 s (the kernel's kernel/sched/loadavg.c).</summary>
    public static double After(double before, double running, TimeSpan time)
    {
        double left = Math.Exp(-time.TotalMinutes);
        return (before * left) + (running * (1 - left));
    }

    public static void Run(TextWriter output)
    {
        int threads = Environment.ProcessorCount;
        using SystemCpu cpu = new(SystemCpuParts.LoadAverage | SystemCpuParts.RunQueue);
        if (cpu.LoadAverage is not { } before)
        {
            output.WriteLine($"Not here: {cpu.GetUnavailableReason(SystemCpuParts.LoadAverage)}");
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
                if (cpu.RunQueue?.Running is { } number)
                {
                    // All but this thread, which runs only to look.
                    running.Add(number - 1);
                }
            }
        }

        TimeSpan time = Stopwatch.GetElapsedTime(start);
        double mean = running.Count > 0 ? running.Average() : threads;
        double after = cpu.LoadAverage?.OneMinute ?? before.OneMinute;
        MarkdownTable table = new("lrr", ["1-minute load average", "document", "here"]);
        table.Add("before", "", Text(before.OneMinute));
        table.Add($"after {time.TotalSeconds:0} s of {threads} threads", "", Text(after));
        table.Add($"the same by the formula, from {Text(mean)} threads seen to want a CPU", "", Text(After(before.OneMinute, mean, time)));
        table.Add("after 4 minutes of 1 thread (here: by the formula, with nothing else)", "0.95", Text(After(0, 1, TimeSpan.FromMinutes(4))));
        table.Add($"after 4 minutes of {threads} threads (document: 2)", "2.52", Text(After(0, threads, TimeSpan.FromMinutes(4))));
        output.Write(table.ToString("Load average"));
        output.WriteLine("The average has a time constant of a minute: a run as short as this one shows only its beginning.");
    }

    private static string Text(double number) => number.ToString("0.00", CultureInfo.InvariantCulture);
}
