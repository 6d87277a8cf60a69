namespace Picollo.Metrics;

/// <content>Tables in Markdown that are also readable on a console.</content>
public sealed partial class HdrHistogramSummary
{
    private const string DefaultThisName = "Before";
    private const string DefaultOtherName = "After";
    private const string Omitted = "-";
    private const string DefaultTitle = "Histogram summary";
    private const string DefaultDiffTitle = "Histogram diff";

    /// <summary>Prints the table of <see cref="ToTable(HdrHistogramUnit?, string?)"/> to <see cref="Console.Out"/>, without a
    /// unit.</summary>
    /// <param name="title">The heading; <see langword="null"/> for the default.</param>
    public void PrettyPrint(string? title = DefaultTitle) => Console.WriteLine(ToTable(title: title));

    /// <summary>Prints the table of <see cref="ToDiffTable(HdrHistogramSummary, HdrHistogramUnit?, string?, string?, string?)"/> to
    /// <see cref="Console.Out"/>, without a unit.</summary>
    /// <param name="other">The second summary of the comparison; this summary is the first.</param>
    /// <param name="title">The heading; <see langword="null"/> for the default.</param>
    /// <param name="thisName">The column heading of this summary; <see langword="null"/> for the default.</param>
    /// <param name="otherName">The column heading of the other summary; <see langword="null"/> for the default.</param>
    /// <exception cref="ArgumentNullException"><paramref name="other"/> is <see langword="null"/>.</exception>
    public void PrettyPrintDiff(
        HdrHistogramSummary other,
        string? title = DefaultDiffTitle,
        string? thisName = DefaultThisName,
        string? otherName = DefaultOtherName) =>
        Console.WriteLine(ToDiffTable(other, null, title, thisName, otherName));

    /// <summary>Returns the summary as a Markdown table: the rank, value, absolute precision and cumulative count of each percentile; then
    /// the out-of-range count (if any), the mean, the standard deviation, the relative error and the total count; then the range, if it
    /// does not start at 0 or values were outside it.</summary>
    /// <param name="unit">The unit of the values. Values are shown with as many decimals as are known, and the name of the unit is appended
    /// to the heading, for example <c>Latency, ms</c>. By default, there is no unit, and values are shown as recorded.</param>
    /// <param name="title">The heading; <see langword="null"/> for "Histogram summary".</param>
    /// <returns>The lines of the table. The text ends with a line break.</returns>
    /// <remarks>The absolute precision depends on the value selection: <c>±</c> half of the bucket's width for the midpoint, <c>+</c> the
    /// width for the lower bound, <c>-</c> the width for the upper bound, <c>~</c> half of the width for an interpolated value.</remarks>
    public string ToTable(HdrHistogramUnit? unit = null, string? title = null) => ToTable(new SummaryTableOptions(unit, title));

    internal string ToTable(SummaryTableOptions options)
    {
        double ratio = options.Unit.Ratio;
        MarkdownTable table = new("lrlr", ["Percentile", "Value", "±", "Count"]);
        for (int i = 0; i < StandardRanks.Length; i++)
        {
            Percentile percentile = At(i);
            bool isShown = IsShown(i, options);
            table.Add(
                UnitText.Rank(percentile.Rank),
                isShown ? Value(percentile, options) : Omitted,
                isShown ? Precision(percentile, options) : string.Empty,
                UnitText.Count(percentile.TargetCount));
        }

        if (OverflowCount > 0)
        {
            table.Add("Overflow", string.Empty, string.Empty, UnitText.Count(OverflowCount));
        }

        table.Add(string.Empty, string.Empty, string.Empty, string.Empty);
        table.Add("Mean:", UnitText.Real(Mean, ratio), "StDev:", UnitText.Real(StDev, ratio));
        table.Add("Precision:", UnitText.Precision(RelativeError), "Total:", UnitText.Count(TotalCount));
        if (OverflowCount > 0 || MinTrackableValue > 0)
        {
            table.Add("Range Min:", UnitText.Value(MinTrackableValue, 1, ratio), "Max:", UnitText.Value(MaxTrackableValue, 1, ratio));
        }

        return table.ToString(options.Heading(DefaultTitle));
    }

    /// <summary>Returns a comparison of two summaries as a Markdown table: both values of each percentile with the change in percent, then
    /// the mean, the standard deviation, the relative error, the total count and the effect size (<see cref="GetEffectSize"/>).</summary>
    /// <param name="other">The second summary of the comparison; this summary is the first.</param>
    /// <param name="unit">The unit of the values, as in <see cref="ToTable(HdrHistogramUnit?, string?)"/>.</param>
    /// <param name="title">The heading; <see langword="null"/> for "Histogram diff".</param>
    /// <param name="thisName">The column heading of this summary; <see langword="null"/> for "Before".</param>
    /// <param name="otherName">The column heading of the other summary; <see langword="null"/> for "After".</param>
    /// <returns>The lines of the table. The text ends with a line break. A change from 0 to another value is "n/a".</returns>
    /// <exception cref="ArgumentNullException"><paramref name="other"/> is <see langword="null"/>.</exception>
    public string ToDiffTable(
        HdrHistogramSummary other,
        HdrHistogramUnit? unit = null,
        string? title = null,
        string? thisName = null,
        string? otherName = null) => ToDiffTable(other, new SummaryTableOptions(unit, title, thisName, otherName));

    internal string ToDiffTable(HdrHistogramSummary other, SummaryTableOptions options)
    {
        ArgumentNullException.ThrowIfNull(other);
        double ratio = options.Unit.Ratio;
        MarkdownTable table = new("lrrr", ["Percentile", options.ThisName ?? DefaultThisName, options.OtherName ?? DefaultOtherName, "Δ%"]);
        for (int i = 0; i < StandardRanks.Length; i++)
        {
            (Percentile from, Percentile to) = (At(i), other.At(i));
            (bool hasFrom, bool hasTo) = (IsShown(i, options), other.IsShown(i, options));
            table.Add(
                UnitText.Rank(StandardRanks[i]),
                hasFrom ? Value(from, options) : Omitted,
                hasTo ? Value(to, options) : Omitted,
                hasFrom && hasTo ? UnitText.Change(from.Value, to.Value) : Omitted);
        }

        table.Add(string.Empty, string.Empty, string.Empty, string.Empty);
        table.Add("Mean:", UnitText.Real(Mean, ratio), UnitText.Real(other.Mean, ratio), UnitText.Change(Mean, other.Mean));
        table.Add("StDev:", UnitText.Real(StDev, ratio), UnitText.Real(other.StDev, ratio), UnitText.Change(StDev, other.StDev));
        table.Add(
            "Precision:",
            UnitText.Precision(RelativeError),
            UnitText.Precision(other.RelativeError),
            UnitText.Change(RelativeError, other.RelativeError));
        table.Add("Total:", UnitText.Count(TotalCount), UnitText.Count(other.TotalCount), UnitText.Change(TotalCount, other.TotalCount));
        double effectSize = GetEffectSize(other);
        table.Add("D-value:", string.Empty, string.Empty, double.IsFinite(effectSize) ? UnitText.Real(effectSize, 1) : "n/a");
        return table.ToString(options.Heading(DefaultDiffTitle));
    }

    private bool IsShown(int i, SummaryTableOptions options) =>
        !options.OmitsMaximum
        || PercentileRank.IsBelowMaximum(StandardRanks[i], TotalCount)
        || (StandardRanks[i] == PercentileRank.Max && TotalCount > 0);

    private static string Value(in Percentile percentile, SummaryTableOptions options) => options.UsesRoundValues
        ? UnitText.Shortest(RoundNumber.In(percentile.Bucket, options.Unit.Ratio).Value)
        : UnitText.Value(percentile.Value, percentile.Bucket.Step, options.Unit.Ratio);

    private string Precision(in Percentile percentile, SummaryTableOptions options)
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
}
