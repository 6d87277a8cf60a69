using System.Globalization;

namespace Picollo.Benchmarks.Comparison;

/// <summary>Prints the table of times: median and minimum, in nanoseconds and compared with the baseline of each row.</summary>
internal static class TimeReport
{
    public static void Print(TextWriter output, IEnumerable<Row> rows, IReadOnlyDictionary<Contender, Figures> figures)
    {
        foreach (IGrouping<string, Row> section in rows.GroupBy(row => row.Section))
        {
            TextTable table = new(section.Key, "median ns", "min ns", "compared with", "by median", "by min", "target", "verdict");
            foreach (Row row in section)
            {
                Figures measured = figures[row.Measured];
                Figures baseline = row.Against is { } against ? figures[against] : default;
                double byMedian = row.Distance(measured.Median, baseline.Median);
                string byMinimum = row.DistanceText(row.Distance(measured.Minimum, baseline.Minimum));
                string[] comparison = row.Against is null ? ["", "", ""] : [row.Against.Name, row.DistanceText(byMedian), byMinimum];
                table.Add([
                    row.Measured.Name, Number(measured.Median), Number(measured.Minimum), .. comparison,
                    row.TargetText, row.Verdict(measured.Median, byMedian)]);
            }

            table.Print(output);
        }
    }

    public static string Number(double nanoseconds) =>
        nanoseconds.ToString(nanoseconds < 100 ? "0.00" : "N0", CultureInfo.InvariantCulture);
}

/// <summary>Prints the table of medians by compilation mode, with the ratio to the row's baseline in the same mode.</summary>
internal static class ModeReport
{
    public static void Print(
        TextWriter output,
        IReadOnlyList<Row> rows,
        IEnumerable<(string Mode, Dictionary<string, Figures>? Figures, string? Reason)> modes)
    {
        List<(string Mode, Dictionary<string, Figures> Figures)> measured = [];
        foreach ((string mode, Dictionary<string, Figures>? figures, string? reason) in modes)
        {
            if (figures is not null)
            {
                measured.Add((mode, figures));
            }
            else
            {
                output.WriteLine();
                output.WriteLine($"not measured: {mode}: {reason}");
            }
        }

        foreach (IGrouping<string, Row> section in rows.GroupBy(row => row.Section))
        {
            TextTable table = new([$"{section.Key}: median ns", "compared with", "target", .. measured.Select(mode => mode.Mode)]);
            foreach (Row row in section.Where(row => measured.All(mode => mode.Figures.ContainsKey(Figures.Key(row.Section, row.Measured)))))
            {
                table.Add([
                    row.Measured.Name, row.Against?.Name ?? string.Empty, row.TargetText,
                    .. measured.Select(mode => Cell(row, mode.Figures))]);
            }

            table.Print(output);
        }
    }

    private static string Cell(Row row, Dictionary<string, Figures> figures)
    {
        double median = figures[Figures.Key(row.Section, row.Measured)].Median;
        return row.Against is { } against
            ? $"{TimeReport.Number(median)} ({row.DistanceText(row.Distance(median, figures[Figures.Key(row.Section, against)].Median))})"
            : TimeReport.Number(median);
    }
}
