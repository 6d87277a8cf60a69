namespace Picollo.Metrics;

/// <summary>The options of a table of <see cref="HdrHistogramSummary"/>; null for the default.</summary>
internal sealed record SummaryTableOptions(
    HdrHistogramUnit? DisplayUnit = null, string? Title = null, string? ThisName = null, string? OtherName = null)
{
    public HdrHistogramUnit Unit => DisplayUnit ?? HdrHistogramUnit.None;

    /// <summary>Whether to omit percentiles that have no recorded value above them, because they are equal to the maximum.</summary>
    public bool OmitsMaximum { get; init; }

    /// <summary>Whether to show the number with the fewest digits in a bucket instead of its midpoint: 1.5 if the midpoint is
    /// 1.501.</summary>
    public bool UsesRoundValues { get; init; }

    public string Heading(string defaultTitle) => Unit.Name.Length == 0 ? Title ?? defaultTitle : $"{Title ?? defaultTitle}, {Unit.Name}";
}
