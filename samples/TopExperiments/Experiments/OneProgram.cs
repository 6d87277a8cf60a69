using System.Globalization;
using Picollo.Cpu;
using Picollo.Metrics;
using static Picollo.Samples.Top.TopView;

namespace Picollo.Samples.Top;

/// <summary>The document's experiment 1: a program on one core, and on all.</summary>
internal static class OneProgram
{
    private const int Rounds = 7;
    private static readonly TimeSpan Window = TimeSpan.FromSeconds(3);

    public static void RunSingle(TextWriter output)
    {
        AloneRun run = AloneRun.Of(new WorkerOptions(Threads: 1, Rounds: Rounds), Window);
        Print(output, "Single core, %", run,
            new Document("50.5", "0.5", "0.0", "49.0", "100.0", "1.0", "99.9", "35 s", "", "", ""));
    }

    public static void RunMulti(TextWriter output)
    {
        AloneRun run = AloneRun.Of(new WorkerOptions(Environment.ProcessorCount, Rounds: Rounds), Window);
        Print(output, "Multi-core, %", run,
            new Document("99.0", "0.5", "0.0", "0.0", "100.0", "100.0", "99.0, 97.1", "35.95 s", "71.18 s", "0.17 s", "1.98"));
    }

    private static void Print(TextWriter output, string title, AloneRun run, Document document)
    {
        CpuStates total = run.Cpu.Total;
        double?[] busiest = [.. run.Cpu.Cpus.Select(cpu => cpu.User).OrderDescending()];
        MarkdownTable table = new("lrr", ["", "document", "here"]);
        table.Add("us, all CPUs", document.User, Percent(total.User));
        table.Add("sy", document.System, Percent(total.System));
        table.Add("ni", document.Nice, Percent(total.Nice));
        table.Add("id", document.Idle, Percent(total.Idle));
        table.Add("us of the busiest CPU", document.Busiest, Percent(busiest.FirstOrDefault()));
        table.Add("us of the least busy CPU", document.LeastBusy, Percent(busiest.LastOrDefault()));
        table.Add("%CPU of its threads", document.Threads, string.Join(", ", run.ComputingThreads.Where(thread => thread.Share > 0.02).Select(thread => Percent(thread.Share))));
        table.Add("%CPU of all other programs", "1.0", Percent(run.OfOthers));
        table.Add("real", document.Real, Seconds(run.Real));
        table.Add("user", document.UserTime, Seconds(run.Used?.User));
        table.Add("sys", document.Kernel, Seconds(run.Used?.Kernel));
        table.Add("user / real", document.UserOverReal, run.Used is { } used ? Number(used.User / run.Real) : "-");
        output.WriteLine(table.ToString(title));
        TopView.Print(output, run.Cpu);
    }

    private static string Seconds(TimeSpan? time) => time is { } known ? Number(known.TotalSeconds) + " s" : "-";

    private static string Number(double number) => number.ToString("0.00", CultureInfo.InvariantCulture);

    private sealed record Document(
        string User, string System, string Nice, string Idle, string Busiest, string LeastBusy, string Threads,
        string Real, string UserTime, string Kernel, string UserOverReal);
}
