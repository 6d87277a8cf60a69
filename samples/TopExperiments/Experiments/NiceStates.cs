using System.Globalization;
using Picollo.Metrics;

namespace Picollo.Samples.Top;

/// <summary>The document's experiment 2: the CPU state, <c>us</c> or <c>ni</c>, that includes the time of a program at each niceness.</summary>
internal static class NiceStates
{
    private const int Largest = 12;

    public static void Run(TextWriter output)
    {
        MarkdownTable table = new("llrrrrr", ["nice", "", "PR", "NI", "us", "ni", "%CPU"]);
        Add(table, -1, "19", "-1", "99.8", "0.0", "198.0");
        Add(table, 0, "20", "0", "99.8", "0.0", "200.0");
        Add(table, 1, "21", "1", "0.0", "99.7", "199.3");
        output.Write(table.ToString("ackermann_multi alone, with three niceness values"));
    }

    private static void Add(MarkdownTable table, int nice, params string[] document)
    {
        table.Add([nice.ToString(CultureInfo.InvariantCulture), "document", .. document]);
        if (!Niceness.IsPermitted(nice, out string? reason))
        {
            table.Add("", $"measured: {reason}", "", "", "", "", "");
            return;
        }

        WatchedRun run = WatchedRun.Of(new AckermannProgram(IsMulti: true, Largest), nice, "-d", "0.5");
        TopPage page = run.Busiest;
        string row = page.RowOf(run.Id) ?? "";
        table.Add("", "measured", Text("PR"), Text("NI"), State("us"), State("ni"), Text("%CPU"));

        string Text(string column) => page.Column(row, column) ?? "-";

        string State(string state) => string.Join(' ', page.PercentOf(state).Select(percent => percent.ToString("0.0", CultureInfo.InvariantCulture)));
    }
}
