using System.Globalization;

namespace Picollo.Metrics;

/// <content>The tables: valid Markdown, and readable on a console.</content>
public sealed partial class HdrHistogramSummary
{
    private const string DefaultTitle = "Histogram summary";

    /// <summary>Prints the table of <see cref="ToTable"/> to <see cref="Console.Out"/>.</summary>
    /// <param name="title">The heading.</param>
    /// <exception cref="ArgumentNullException"><paramref name="title"/> is <see langword="null"/>.</exception>
    public void PrettyPrint(string title = DefaultTitle) => PrettyPrint(Console.Out, title);

    /// <summary>Writes the table of <see cref="ToTable"/>.</summary>
    /// <param name="writer">Where to.</param>
    /// <param name="title">The heading.</param>
    /// <exception cref="ArgumentNullException"><paramref name="writer"/> or <paramref name="title"/> is <see langword="null"/>.</exception>
    public void PrettyPrint(TextWriter writer, string title = DefaultTitle)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WriteLine(ToTable(title));
    }

    /// <summary>Prints the table of <see cref="ToDiffTable"/> to <see cref="Console.Out"/>.</summary>
    /// <param name="other">The summary to compare with; this one is the state before.</param>
    /// <param name="title">The heading.</param>
    /// <param name="before">The column heading of this summary.</param>
    /// <param name="after">The column heading of the other summary.</param>
    /// <exception cref="ArgumentNullException"><paramref name="other"/> or a heading is <see langword="null"/>.</exception>
    public void PrettyPrintDiff(
        HdrHistogramSummary other, string title = "Histogram diff", string before = "Before", string after = "After") =>
        PrettyPrintDiff(Console.Out, other, title, before, after);

    /// <summary>Writes the table of <see cref="ToDiffTable"/>.</summary>
    /// <param name="writer">Where to.</param>
    /// <param name="other">The summary to compare with; this one is the state before.</param>
    /// <param name="title">The heading.</param>
    /// <param name="before">The column heading of this summary.</param>
    /// <param name="after">The column heading of the other summary.</param>
    /// <exception cref="ArgumentNullException"><paramref name="writer"/>, <paramref name="other"/> or a heading is <see langword="null"/>.</exception>
    public void PrettyPrintDiff(
        TextWriter writer, HdrHistogramSummary other, string title = "Histogram diff", string before = "Before", string after = "After")
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WriteLine(ToDiffTable(other, title, before, after));
    }

    /// <summary>The summary as a Markdown table: rank, value, absolute precision (half the bucket's width, as it is for the
    /// midpoint) and cumulative count of each percentile, then what was out of range on either side, mean, standard deviation, precision, total, and the range where it matters.</summary>
    /// <param name="title">The heading.</param>
    /// <returns>The lines, the last one empty.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="title"/> is <see langword="null"/>.</exception>
    public string ToTable(string title = DefaultTitle)
    {
        ArgumentNullException.ThrowIfNull(title);
        MarkdownTable table = new("lrlr", ["Percentile", "Value", "±", "Count"]);
        for (int i = 0; i < StandardRanks.Length; i++)
        {
            Percentile percentile = At(i);
            table.Add(Rank(percentile.Rank), Count(percentile.Value), $"±{Count(percentile.Bucket.Step / 2)}", Count(percentile.Count));
        }

        if (OverflowCount > 0)
        {
            table.Add("Overflow", string.Empty, string.Empty, Count(OverflowCount));
        }

        table.Add(string.Empty, string.Empty, string.Empty, string.Empty);
        table.Add("Mean:", Real(Mean), "StDev:", Real(StDev));
        table.Add("Precision:", Precision(RelativeError), "Total:", Count(TotalCount));
        if (OverflowCount > 0 || MinTrackableValue > 0)
        {
            table.Add("Range Min:", Count(MinTrackableValue), "Max:", Count(MaxTrackableValue));
        }

        return table.ToString(title);
    }

    /// <summary>Two summaries as a Markdown table: the value of each percentile before and after with the change in percent,
    /// then mean, standard deviation, precision, total and the effect size (<see cref="GetEffectSize"/>).</summary>
    /// <param name="other">The summary to compare with; this one is the state before.</param>
    /// <param name="title">The heading.</param>
    /// <param name="before">The column heading of this summary.</param>
    /// <param name="after">The column heading of the other summary.</param>
    /// <returns>The lines, the last one empty. A change from 0 is "n/a".</returns>
    /// <exception cref="ArgumentNullException"><paramref name="other"/> or a heading is <see langword="null"/>.</exception>
    public string ToDiffTable(
        HdrHistogramSummary other, string title = "Histogram diff", string before = "Before", string after = "After")
    {
        ArgumentNullException.ThrowIfNull(other);
        ArgumentNullException.ThrowIfNull(title);
        ArgumentNullException.ThrowIfNull(before);
        ArgumentNullException.ThrowIfNull(after);
        MarkdownTable table = new("lrrr", ["Percentile", before, after, "Δ%"]);
        for (int i = 0; i < StandardRanks.Length; i++)
        {
            ulong valueBefore = At(i).Value;
            ulong valueAfter = other.At(i).Value;
            table.Add(Rank(StandardRanks[i]), Count(valueBefore), Count(valueAfter), Change(valueBefore, valueAfter));
        }

        table.Add(string.Empty, string.Empty, string.Empty, string.Empty);
        table.Add("Mean:", Real(Mean), Real(other.Mean), Change(Mean, other.Mean));
        table.Add("StDev:", Real(StDev), Real(other.StDev), Change(StDev, other.StDev));
        table.Add("Precision:", Precision(RelativeError), Precision(other.RelativeError), Change(RelativeError, other.RelativeError));
        table.Add("Total:", Count(TotalCount), Count(other.TotalCount), Change(TotalCount, other.TotalCount));
        double effectSize = GetEffectSize(other);
        table.Add("D-value:", string.Empty, string.Empty, double.IsFinite(effectSize) ? Real(effectSize) : "n/a");
        return table.ToString(title);
    }

    internal static string Rank(double rank) => rank.ToString("0.####", CultureInfo.InvariantCulture);

    internal static string Count(ulong count) => count.ToString("N0", CultureInfo.InvariantCulture);

    private static string Real(double value) => value.ToString("N2", CultureInfo.InvariantCulture);

    internal static string Precision(double relativeError) =>
        (relativeError * 100).ToString("0.0000", CultureInfo.InvariantCulture) + "%";

    internal static string Change(double before, double after) => before == 0
        ? "n/a"
        : ((after - before) / before * 100).ToString("+0.0;-0.0;0.0", CultureInfo.InvariantCulture) + "%";
}
