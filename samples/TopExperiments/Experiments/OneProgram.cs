using System.Globalization;
using Picollo.Metrics;

namespace Picollo.Samples.Top;

/// <summary>The document's experiment 1: a program on one core, and on all cores.</summary>
public static class OneProgram
{
    private const int ThreadLines = 5;

    public static void RunSingle(TextWriter output) => Run(
        output,
        new AckermannProgram(IsMulti: false),
        new Document("50.5", "0.5", "0.0", "49.0", "100.0", "1.0", "99.9", "35 s", "", "", ""));

    public static void RunMulti(TextWriter output) => Run(
        output,
        new AckermannProgram(IsMulti: true),
        new Document("99.0", "0.5", "0.0", "0.0", "100.0", "100.0", "99.0, 97.1", "35.95 s", "71.18 s", "0.17 s", "1.98"));

    /// <summary>Runs a program while <c>picollo top</c> watches it, and prints the output of the program, a table, and a page of
    /// <c>picollo top</c>.</summary>
    public static void Run(TextWriter output, AckermannProgram program, Document document)
    {
        WatchedRun run = WatchedRun.Of(program, nice: null, "-H", "-1", "-d", "1");
        output.WriteLine($"$ ./{program.Name}");
        foreach (string line in run.Lines)
        {
            output.WriteLine(line);
        }

        TopPage page = run.Busiest;
        double[] user = [.. page.PercentOf("us").OrderDescending()];
        MarkdownTable table = new("lrr", ["", "document", "measured"]);
        table.Add("us, mean of all CPUs", document.User, Mean(user));
        table.Add("sy", document.System, Mean(page.PercentOf("sy")));
        table.Add("ni", document.Nice, Mean(page.PercentOf("ni")));
        table.Add("id", document.Idle, Mean(page.PercentOf("id")));
        table.Add("us of the busiest CPU", document.Busiest, Text(user.FirstOrDefault()));
        table.Add("us of the least busy CPU", document.LeastBusy, Text(user.LastOrDefault()));
        table.Add(
            "%CPU of its threads",
            document.Threads,
            string.Join(", ", page.RowsOf(program.Name).Select(page.CpuOf).Where(share => share > 1).OrderDescending().Select(Text)));
        table.Add("real", document.Real, Seconds(run.Times.Real));
        table.Add("user", document.UserTime, Seconds(run.Times.User));
        table.Add("sys", document.Kernel, Seconds(run.Times.System));
        table.Add("user / real", document.UserOverReal, Number(run.Times.User / run.Times.Real));
        output.WriteLine();
        output.WriteLine(table.ToString($"{program.Name}: CPU usage in %, and times"));
        output.WriteLine("$ picollo top -b -H -1 -d 1");
        foreach (string line in page.Lines.TakeWhile(line => line != page.Header).Append(page.Header)
            .Concat(page.Lines.SkipWhile(line => line != page.Header).Skip(1).Take(ThreadLines)))
        {
            output.WriteLine(line);
        }
    }

    private static string Mean(double[] percent) => percent.Length == 0 ? "-" : Text(percent.Average());

    private static string Text(double percent) => percent.ToString("0.0", CultureInfo.InvariantCulture);

    private static string Seconds(TimeSpan time) => Number(time.TotalSeconds) + " s";

    private static string Number(double number) => number.ToString("0.00", CultureInfo.InvariantCulture);

    /// <summary>The figures of the document.</summary>
    public sealed record Document(
        string User, string System, string Nice, string Idle, string Busiest, string LeastBusy, string Threads,
        string Real, string UserTime, string Kernel, string UserOverReal);
}
