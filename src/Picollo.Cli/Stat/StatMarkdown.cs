using Picollo.Diagnostics;
using Picollo.Export.Text;
using Picollo.Metrics;

namespace Picollo.Cli.Stat;

/// <summary>Writes the results as a Markdown table with one row for each command.</summary>
internal static class StatMarkdown
{
    public static void Write(
        TextWriter writer, IReadOnlyList<MeasuredCommand> commands, IReadOnlyList<CommandSeries> series, Baseline? baseline)
    {
        writer.WriteLine("| Command | Runs | Mean | ± stdev | Min | Max | User | Kernel | Max resident | Relative |");
        writer.WriteLine("| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        CommandSeries first = baseline?.Series ?? series[0];
        if (baseline is not null)
        {
            WriteRow(writer, $"baseline: {Code(baseline.Command)}", baseline.Series, first);
        }

        for (int i = 0; i < series.Count; i++)
        {
            WriteRow(writer, Code(commands[i].Text), series[i], first);
        }
    }

    private static void WriteRow(TextWriter writer, string name, CommandSeries series, CommandSeries first)
    {
        if (series[Gate.Measure] is not { } elapsed)
        {
            return; // interrupted before the first run
        }

        HdrHistogramSummary summary = elapsed.Histogram.GetSummary();
        string[] cells =
        [
            name,
            Invariant($"{elapsed.Values.Count}"),
            elapsed.Unit.Short(summary.Mean),
            elapsed.Values.Count > 1 ? elapsed.Unit.Short(SampleStatistics.StDev(summary), digits: 3) : Quantity.MissingInText,
            elapsed.Unit.Short(elapsed.Values.Min()),
            elapsed.Unit.Short(elapsed.Values.Max()),
            Mean("userNanoseconds"),
            Mean("kernelNanoseconds"),
            Mean("maxResidentBytes"),
            Invariant($"{summary.Mean / first[Gate.Measure]!.Histogram.GetSummary().Mean:0.00}"),
        ];
        writer.WriteLine($"| {string.Join(" | ", cells)} |");

        string Mean(string measure) =>
            series[measure] is { } known ? known.Unit.Short(known.Histogram.GetSummary().Mean) : Quantity.MissingInText;
    }

    /// <summary>Formats a text as code in a table cell. In GitHub Markdown, a vertical bar must be escaped even in code, and text with
    /// backquotes must be enclosed in a longer sequence of backquotes.</summary>
    private static string Code(string text)
    {
        string clean = ForeignText.Clean(text).Replace("|", "\\|", StringComparison.Ordinal);
        int longest = 0;
        for (int i = 0, length = 0; i < clean.Length; i++)
        {
            length = clean[i] == '`' ? length + 1 : 0;
            longest = Math.Max(longest, length);
        }

        string fence = new('`', longest + 1);
        return longest == 0 ? $"`{clean}`" : $"{fence} {clean} {fence}";
    }
}
