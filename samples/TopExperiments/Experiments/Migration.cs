using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Samples.Top;

/// <summary>The document's observation in experiment 1: a single thread does not remain on its CPU.</summary>
internal static class Migration
{
    private const int Samples = 50;
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    public static void Run(TextWriter output)
    {
        List<int> cpus = [];
        using (WorkerProcess worker = new(new WorkerOptions(Threads: 1)))
        using (SystemCpu cpu = new(SystemCpuParts.Threads))
        {
            worker.Go();
            for (int i = 0; i < Samples; i++)
            {
                Thread.Sleep(Interval);
                cpu.Update();
                ThreadCpu thread = cpu.Threads.Where(thread => thread.ProcessId == worker.Id).MaxBy(thread => thread.Share ?? 0);
                if (thread.LastCpu is { } last)
                {
                    cpus.Add(last);
                }
            }
        }

        int changes = cpus.Zip(cpus.Skip(1), (before, after) => before == after ? 0 : 1).Sum();
        MarkdownTable table = new("lll", ["", "document", "measured"]);
        table.Add("changes of CPU", "\"back and forth\"", cpus.Count > 0 ? $"{changes} in {Samples * Interval.TotalSeconds:0} s, sampled every {Interval.TotalMilliseconds:0} ms" : "unavailable on this system");
        table.Add("share of samples on each CPU, %", "", string.Join(", ", cpus.CountBy(cpu => cpu).OrderBy(pair => pair.Key).Select(pair => $"CPU {pair.Key}: {100.0 * pair.Value / cpus.Count:0.0}")));
        output.Write(table.ToString("The CPU of a single thread"));
        output.WriteLine("If another thread, including one of this program, wakes up on the same CPU, the scheduler can move the single thread to an idle CPU.");
    }
}
