using System.Globalization;

namespace Picollo.Benchmarks.Cpu;

/// <summary>The cost that a watcher adds to an await, in units of one reading of the watcher's clock.</summary>
/// <param name="Without">The await without a watcher.</param>
/// <param name="With">The await with a watcher.</param>
/// <param name="Read">The reading of the clock.</param>
/// <param name="Limit">The maximum cost in readings, or <see langword="null"/> for no target.</param>
internal sealed record AwaitRow(Contender Without, Contender With, Contender Read, double? Limit = null)
{
    public static void Print(TextWriter output, IEnumerable<AwaitRow> rows, IReadOnlyDictionary<Contender, Figures> figures)
    {
        TextTable table = new("An await with a watcher", "median ns", "ns without", "ns of a clock reading", "added cost, readings", "target", "verdict");
        foreach (AwaitRow row in rows)
        {
            (double with, double without, double read) = (figures[row.With].Median, figures[row.Without].Median, figures[row.Read].Median);
            double more = (with - without) / read;
            table.Add(
                row.With.Name, TimeReport.Number(with), TimeReport.Number(without), TimeReport.Number(read), Text(more),
                row.Limit is { } limit ? $"<= {Text(limit)}" : "", row.Verdict(more));
        }

        table.Print(output);
    }

    private string Verdict(double more) =>
        Limit is not { } limit ? "" : more <= limit ? "ok" : $"MISSED by {Text(more - limit)}";

    private static string Text(double number) => number.ToString("0.00", CultureInfo.InvariantCulture);
}
