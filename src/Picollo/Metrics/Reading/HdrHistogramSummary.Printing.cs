namespace Picollo.Metrics;

/// <content>Tables in Markdown that are also readable on a console.</content>
public sealed partial class HdrHistogramSummary
{
    internal const string DefaultBefore = "Before";
    internal const string DefaultAfter = "After";
    private const string Omitted = "-";
    private const string DefaultTitle = "Histogram summary";
    private const string DefaultDiffTitle = "Histogram diff";

    /// <summary>Prints the table of <see cref="ToTable"/> to <see cref="Console.Out"/>, without a unit.</summary>
    /// <param name="title">The heading; <see langword="null"/> for the default.</param>
    public void PrettyPrint(string? title = DefaultTitle) => WriteTable(Console.Out, new HdrHistogramTableOptions { Title = title });

    /// <summary>Prints the table of <see cref="ToDiffTable"/> to <see cref="Console.Out"/>, without a unit.</summary>
    /// <param name="other">The second summary of the comparison; this summary is the first.</param>
    /// <param name="title">The heading; <see langword="null"/> for the default.</param>
    /// <param name="thisName">The column heading of this summary; <see langword="null"/> for the default.</param>
    /// <param name="otherName">The column heading of the other summary; <see langword="null"/> for the default.</param>
    /// <exception cref="ArgumentNullException"><paramref name="other"/> is <see langword="null"/>.</exception>
    public void PrettyPrintDiff(
        HdrHistogramSummary other, string? title = DefaultDiffTitle, string? thisName = DefaultBefore, string? otherName = DefaultAfter) =>
        WriteDiffTable(
            Console.Out,
            other,
            new HdrHistogramTableOptions { Title = title, Before = thisName ?? DefaultBefore, After = otherName ?? DefaultAfter });

    /// <summary>Writes the table of <see cref="ToTable"/> and an empty line.</summary>
    /// <param name="writer">The destination.</param>
    /// <param name="options">The heading and the unit.</param>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    public void WriteTable(TextWriter writer, HdrHistogramTableOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WriteLine(ToTable(options));
    }

    /// <summary>Writes the table of <see cref="ToDiffTable"/> and an empty line.</summary>
    /// <param name="writer">The destination.</param>
    /// <param name="other">The second summary of the comparison; this summary is the first.</param>
    /// <param name="options">The headings and the unit.</param>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    public void WriteDiffTable(TextWriter writer, HdrHistogramSummary other, HdrHistogramTableOptions options)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WriteLine(ToDiffTable(other, options));
    }

    /// <summary>Returns the summary as a Markdown table: the rank, value, absolute precision and cumulative count of each percentile; then
    /// the out-of-range count (if any), the mean, the standard deviation, the relative error and the total count; then the range, if it
    /// does not start at 0 or values were outside it.</summary>
    /// <param name="options">The heading and the unit.</param>
    /// <returns>The lines of the table. The text ends with a line break.</returns>
    /// <remarks>The absolute precision depends on the value selection: <c>±</c> half of the bucket's width for the midpoint, <c>+</c> the
    /// width for the lower bound, <c>-</c> the width for the upper bound, <c>~</c> half of the width for an interpolated value.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is <see langword="null"/>.</exception>
    public string ToTable(HdrHistogramTableOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        double ratio = options.Unit.Ratio;
        MarkdownTable table = new("lrlr", ["Percentile", "Value", "±", "Count"]);
        for (int i = 0; i < StandardRanks.Length; i++)
        {
            Percentile percentile = At(i);
            bool isShown = IsShown(i, options);
            table.Add(
                Rank(percentile.Rank),
                isShown ? Value(percentile, options) : Omitted,
                isShown ? Precision(percentile, options) : string.Empty,
                Count(percentile.TargetCount));
        }

        if (OverflowCount > 0)
        {
            table.Add("Overflow", string.Empty, string.Empty, Count(OverflowCount));
        }

        table.Add(string.Empty, string.Empty, string.Empty, string.Empty);
        table.Add("Mean:", UnitText.Real(Mean, ratio), "StDev:", UnitText.Real(StDev, ratio));
        table.Add("Precision:", Precision(RelativeError), "Total:", Count(TotalCount));
        if (OverflowCount > 0 || MinTrackableValue > 0)
        {
            table.Add("Range Min:", UnitText.Value(MinTrackableValue, 1, ratio), "Max:", UnitText.Value(MaxTrackableValue, 1, ratio));
        }

        return table.ToString(options.Heading(DefaultTitle));
    }

    /// <summary>Returns a comparison of two summaries as a Markdown table: both values of each percentile with the change in percent, then
    /// the mean, the standard deviation, the relative error, the total count and the effect size (<see cref="GetEffectSize"/>).</summary>
    /// <param name="other">The second summary of the comparison; this summary is the first.</param>
    /// <param name="options">The headings and the unit.</param>
    /// <returns>The lines of the table. The text ends with a line break. A change from 0 to another value is "n/a".</returns>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    public string ToDiffTable(HdrHistogramSummary other, HdrHistogramTableOptions options)
    {
        ArgumentNullException.ThrowIfNull(other);
        ArgumentNullException.ThrowIfNull(options);
        double ratio = options.Unit.Ratio;
        MarkdownTable table = new("lrrr", ["Percentile", options.Before, options.After, "Δ%"]);
        for (int i = 0; i < StandardRanks.Length; i++)
        {
            (Percentile from, Percentile to) = (At(i), other.At(i));
            (bool hasFrom, bool hasTo) = (IsShown(i, options), other.IsShown(i, options));
            table.Add(
                Rank(StandardRanks[i]),
                hasFrom ? Value(from, options) : Omitted,
                hasTo ? Value(to, options) : Omitted,
                hasFrom && hasTo ? Change(from.Value, to.Value) : Omitted);
        }

        table.Add(string.Empty, string.Empty, string.Empty, string.Empty);
        table.Add("Mean:", UnitText.Real(Mean, ratio), UnitText.Real(other.Mean, ratio), Change(Mean, other.Mean));
        table.Add("StDev:", UnitText.Real(StDev, ratio), UnitText.Real(other.StDev, ratio), Change(StDev, other.StDev));
        table.Add("Precision:", Precision(RelativeError), Precision(other.RelativeError), Change(RelativeError, other.RelativeError));
        table.Add("Total:", Count(TotalCount), Count(other.TotalCount), Change(TotalCount, other.TotalCount));
        double effectSize = GetEffectSize(other);
        table.Add("D-value:", string.Empty, string.Empty, double.IsFinite(effectSize) ? UnitText.Real(effectSize, 1) : "n/a");
        return table.ToString(options.Heading(DefaultDiffTitle));
    }

    /// <summary>Formats a rank with up to four decimal places, or with more if a rank below 100 would be rounded to 100.</summary>
    internal static string Rank(double rank) =>
        rank.ToString(rank is >= 99.99995 and < 100 ? "R" : "0.####", CultureInfo.InvariantCulture);

    internal static string Count(ulong count) => count.ToString("N0", CultureInfo.InvariantCulture);

    private bool IsShown(int i, HdrHistogramTableOptions options) =>
        !options.OmitsMaximum
        || PercentileRank.IsBelowMaximum(StandardRanks[i], TotalCount)
        || (StandardRanks[i] == PercentileRank.Max && TotalCount > 0);

    private static string Value(in Percentile percentile, HdrHistogramTableOptions options) => options.UsesRoundValues
        ? UnitText.Shortest(RoundNumber.In(percentile.Bucket, options.Unit.Ratio).Value)
        : UnitText.Value(percentile.Value, percentile.Bucket.Step, options.Unit.Ratio);

    private string Precision(in Percentile percentile, HdrHistogramTableOptions options)
    {
        (ulong step, double ratio) = (percentile.Bucket.Step, options.Unit.Ratio);
        return options.UsesRoundValues ? $"±{UnitText.Uncertainty(RoundNumber.In(percentile.Bucket, ratio).Error)}" : _selection switch
        {
            EquivalentValueSelection.LowerBound => $"+{UnitText.Width(step, ratio)}",
            EquivalentValueSelection.UpperBound => $"-{UnitText.Width(step, ratio)}",
            EquivalentValueSelection.Interpolated => $"~{UnitText.Width(step / 2, ratio)}",
            _ => $"±{UnitText.Width(step / 2, ratio)}",
        };
    }

    internal static string Precision(double relativeError) =>
        (relativeError * 100).ToString("0.0000", CultureInfo.InvariantCulture) + "%";

    internal static string Change(double before, double after) => before == 0
        ? after == 0 ? "+0.0%" : "n/a"
        : ((after - before) / before * 100).ToString("+0.0;-0.0;0.0", CultureInfo.InvariantCulture) + "%";
}
