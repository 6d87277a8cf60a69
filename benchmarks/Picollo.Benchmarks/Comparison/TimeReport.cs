using System.Globalization;

namespace Picollo.Benchmarks.Comparison;

/// <summary>The table of times: median and minimum, in nanoseconds and against the baseline of each row.</summary>
internal static class TimeReport
{
    public static void Print(TextWriter output, IEnumerable<Row> rows, IReadOnlyDictionary<Contender, Figures> figures)
    {
        foreach (IGrouping<string, Row> section in rows.GroupBy(row => row.Section))
        {
            TextTable table = new(section.Key, "median ns", "min ns", "against", "by median", "by min", "target", "verdict");
            foreach (Row row in section)
            {
                Figures measured = figures[row.Measured];
                List<string> cells = [row.Measured.Name, Number(measured.Median), Number(measured.Minimum)];
                if (row.Against is { } against)
                {
                    double byMedian = row.Distance(measured.Median, figures[against].Median);
                    double byMinimum = row.Distance(measured.Minimum, figures[against].Minimum);
                    cells.AddRange([
                        against.Name, row.DistanceText(byMedian), row.DistanceText(byMinimum), row.TargetText,
                        row.Verdict(measured.Median, byMedian)]);
                }
                else
                {
                    cells.AddRange([string.Empty, string.Empty, string.Empty, row.TargetText, row.Verdict(measured.Median, distance: 0)]);
                }

                table.Add([.. cells]);
            }

            table.Print(output);
        }
    }

    public static string Number(double nanoseconds) =>
        nanoseconds.ToString(nanoseconds < 100 ? "0.00" : "N0", CultureInfo.InvariantCulture);
}
