namespace Picollo.Metrics;

/// <summary>The texts and the unit of a table of <see cref="HdrHistogramSummary"/>. Read when the table is made; later changes do not
/// matter. Not thread-safe.</summary>
public sealed class HdrHistogramTableOptions
{
    /// <summary>The heading; <see langword="null"/>, the default, for "Histogram summary" or "Histogram diff".</summary>
    public string? Title { get; set; }

    /// <summary>In a comparison, the column heading of the summary before; "Before" by default.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public string Before
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = HdrHistogramSummary.DefaultBefore;

    /// <summary>In a comparison, the column heading of the summary after; "After" by default.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public string After
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = HdrHistogramSummary.DefaultAfter;

    /// <summary>The unit of the values, with the decimals that are known: its name is appended to the heading, for example
    /// <c>Latency, ms</c>. No unit by default: values as they were recorded.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public HdrHistogramUnit Unit
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = HdrHistogramUnit.None;

    /// <summary>Whether percentiles above which no value lies are left out: each would be the maximum by another name.</summary>
    internal bool LeavesOutMaximum { get; init; }

    /// <summary>Whether a value is the roundest number of its bucket instead of its middle: 1.5, where the middle is 1.501.</summary>
    internal bool HasRoundValues { get; init; }

    internal string Heading(string defaultTitle) => Unit.Name.Length == 0 ? Title ?? defaultTitle : $"{Title ?? defaultTitle}, {Unit.Name}";
}
