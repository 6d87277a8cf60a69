using System.Globalization;

namespace Picollo.Metrics;

/// <content>The tables: valid Markdown, and readable on a console.</content>
public sealed partial class HdrHistogramSummary
{
    private const string DefaultTitle = "Histogram summary";

    /// <summary>Prints the table of <see cref="ToTable"/> to <see cref="Console.Out"/>.</summary>
    /// <inheritdoc cref="ToTable" path="/param|/exception"/>
    public void PrettyPrint(string title = DefaultTitle, double valueUnitRatio = 1) => PrettyPrint(Console.Out, title, valueUnitRatio);

    /// <summary>Writes the table of <see cref="ToTable"/>.</summary>
    /// <param name="writer">The destination; not null.</param>
    /// <param name="title"><inheritdoc cref="ToTable" path="/param[@name='title']/node()"/></param>
    /// <param name="valueUnitRatio"><inheritdoc cref="ToTable" path="/param[@name='valueUnitRatio']/node()"/></param>
    /// <inheritdoc cref="ToTable" path="/exception"/>
    public void PrettyPrint(TextWriter writer, string title = DefaultTitle, double valueUnitRatio = 1)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WriteLine(ToTable(title, valueUnitRatio));
    }

    /// <summary>Prints the table of <see cref="ToDiffTable"/> to <see cref="Console.Out"/>.</summary>
    /// <inheritdoc cref="ToDiffTable" path="/param|/exception"/>
    public void PrettyPrintDiff(
        HdrHistogramSummary other,
        string title = "Histogram diff",
        string before = "Before",
        string after = "After",
        double valueUnitRatio = 1) => PrettyPrintDiff(Console.Out, other, title, before, after, valueUnitRatio);

    /// <summary>Writes the table of <see cref="ToDiffTable"/>.</summary>
    /// <param name="writer">The destination; not null.</param>
    /// <param name="other"><inheritdoc cref="ToDiffTable" path="/param[@name='other']/node()"/></param>
    /// <param name="title"><inheritdoc cref="ToDiffTable" path="/param[@name='title']/node()"/></param>
    /// <param name="before"><inheritdoc cref="ToDiffTable" path="/param[@name='before']/node()"/></param>
    /// <param name="after"><inheritdoc cref="ToDiffTable" path="/param[@name='after']/node()"/></param>
    /// <param name="valueUnitRatio"><inheritdoc cref="ToDiffTable" path="/param[@name='valueUnitRatio']/node()"/></param>
    /// <inheritdoc cref="ToDiffTable" path="/exception"/>
    public void PrettyPrintDiff(
        TextWriter writer,
        HdrHistogramSummary other,
        string title = "Histogram diff",
        string before = "Before",
        string after = "After",
        double valueUnitRatio = 1)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WriteLine(ToDiffTable(other, title, before, after, valueUnitRatio));
    }

    /// <summary>The summary as a Markdown table: rank, value, absolute precision (half the bucket's width, as it is for the
    /// midpoint) and cumulative count of each percentile, then what was out of range on either side, mean, standard deviation, precision,
    /// total, and the range where it matters.</summary>
    /// <param name="title">The heading.</param>
    /// <returns>The lines, the last one empty.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="title"/> is <see langword="null"/>.</exception>
    /// <param name="valueUnitRatio">What values are divided by: 1,000,000 prints nanoseconds as milliseconds, with the decimals that are
    /// known. From 10⁻³⁰ to 10³⁰.</param>
    /// <exception cref="ArgumentOutOfRangeException">The ratio is outside its range.</exception>
    public string ToTable(string title = DefaultTitle, double valueUnitRatio = 1)
    {
        ArgumentNullException.ThrowIfNull(title);
        UnitRatio.CheckWithinUnits(valueUnitRatio);
        MarkdownTable table = new("lrlr", ["Percentile", "Value", "±", "Count"]);
        for (int i = 0; i < StandardRanks.Length; i++)
        {
            Percentile percentile = At(i);
            table.Add(
                Rank(percentile.Rank),
                Value(percentile, valueUnitRatio),
                $"±{UnitText.HalfWidth(percentile.Bucket.Step, valueUnitRatio)}",
                Count(percentile.TargetCount));
        }

        if (OverflowCount > 0)
        {
            table.Add("Overflow", string.Empty, string.Empty, Count(OverflowCount));
        }

        table.Add(string.Empty, string.Empty, string.Empty, string.Empty);
        table.Add("Mean:", UnitText.Real(Mean, valueUnitRatio), "StDev:", UnitText.Real(StDev, valueUnitRatio));
        table.Add("Precision:", Precision(RelativeError), "Total:", Count(TotalCount));
        if (OverflowCount > 0 || MinTrackableValue > 0)
        {
            table.Add(
                "Range Min:",
                UnitText.Value(MinTrackableValue, 1, valueUnitRatio),
                "Max:",
                UnitText.Value(MaxTrackableValue, 1, valueUnitRatio));
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
    /// <param name="valueUnitRatio">What values are divided by: 1,000,000 prints nanoseconds as milliseconds, with the decimals that are
    /// known. From 10⁻³⁰ to 10³⁰.</param>
    /// <exception cref="ArgumentNullException"><paramref name="other"/> or a heading is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The ratio is outside its range.</exception>
    public string ToDiffTable(
        HdrHistogramSummary other,
        string title = "Histogram diff",
        string before = "Before",
        string after = "After",
        double valueUnitRatio = 1)
    {
        ArgumentNullException.ThrowIfNull(other);
        ArgumentNullException.ThrowIfNull(title);
        ArgumentNullException.ThrowIfNull(before);
        ArgumentNullException.ThrowIfNull(after);
        UnitRatio.CheckWithinUnits(valueUnitRatio);
        MarkdownTable table = new("lrrr", ["Percentile", before, after, "Δ%"]);
        for (int i = 0; i < StandardRanks.Length; i++)
        {
            (Percentile from, Percentile to) = (At(i), other.At(i));
            table.Add(Rank(StandardRanks[i]), Value(from, valueUnitRatio), Value(to, valueUnitRatio), Change(from.Value, to.Value));
        }

        table.Add(string.Empty, string.Empty, string.Empty, string.Empty);
        table.Add("Mean:", UnitText.Real(Mean, valueUnitRatio), UnitText.Real(other.Mean, valueUnitRatio), Change(Mean, other.Mean));
        table.Add("StDev:", UnitText.Real(StDev, valueUnitRatio), UnitText.Real(other.StDev, valueUnitRatio), Change(StDev, other.StDev));
        table.Add("Precision:", Precision(RelativeError), Precision(other.RelativeError), Change(RelativeError, other.RelativeError));
        table.Add("Total:", Count(TotalCount), Count(other.TotalCount), Change(TotalCount, other.TotalCount));
        double effectSize = GetEffectSize(other);
        table.Add("D-value:", string.Empty, string.Empty, double.IsFinite(effectSize) ? UnitText.Real(effectSize, 1) : "n/a");
        return table.ToString(title);
    }

    internal static string Rank(double rank) => rank.ToString("0.####", CultureInfo.InvariantCulture);

    internal static string Count(ulong count) => count.ToString("N0", CultureInfo.InvariantCulture);

    private static string Value(in Percentile percentile, double valueUnitRatio) =>
        UnitText.Value(percentile.Value, percentile.Bucket.Step, valueUnitRatio);

    internal static string Precision(double relativeError) =>
        (relativeError * 100).ToString("0.0000", CultureInfo.InvariantCulture) + "%";

    internal static string Change(double before, double after) => before == 0
        ? "n/a"
        : ((after - before) / before * 100).ToString("+0.0;-0.0;0.0", CultureInfo.InvariantCulture) + "%";
}
