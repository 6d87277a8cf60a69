using System.Globalization;
using Picollo.Cpu;
using Picollo.Metrics;
using static Picollo.Samples.Top.TopView;

namespace Picollo.Samples.Top;

/// <summary>The document's experiment 2: where the time of a niced program is counted.</summary>
internal static class NiceStates
{
    private static readonly TimeSpan Window = TimeSpan.FromSeconds(2.5);

    public static void Run(TextWriter output)
    {
        MarkdownTable table = new("llrrrrr", ["nice", "", "PR", "NI", "us", "ni", "%CPU"]);
        Add(table, -1, "19", "-1", "99.8", "0.0", "198.0");
        Add(table, 0, "20", "0", "99.8", "0.0", "200.0");
        Add(table, 1, "21", "1", "0.0", "99.7", "199.3");
        output.Write(table.ToString("A thread per CPU, alone, at three nicenesses"));
    }

    private static void Add(MarkdownTable table, int nice, params string[] document)
    {
        table.Add([Text(nice), "document", .. document]);
        try
        {
            AloneRun run = AloneRun.Of(new WorkerOptions(Environment.ProcessorCount, nice), Window);
            CpuStates total = run.Cpu.Total;
            table.Add(
                "", "here", Text(run.Process.Priority), Text(run.Process.Nice), Percent(total.User), Percent(total.Nice), Percent(run.Process.Share));
        }
        catch (WorkerException e)
        {
            table.Add("", $"here: {e.Message}", "", "", "", "", "");
        }
    }

    private static string Text(int? number) => number?.ToString(CultureInfo.InvariantCulture) ?? "-";
}
