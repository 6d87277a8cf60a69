namespace Picollo.Metrics;

/// <summary>The headings and the unit of a table of <see cref="HdrHistogramSummary"/>. They are read when the table is created; later
/// changes have no effect. Not thread-safe.</summary>
public sealed class HdrHistogramTableOptions
{
    /// <summary>The heading. The default, <see langword="null"/>, selects "Histogram summary" for a summary and "Histogram diff" for a
    /// comparison.</summary>
    public string? Title { get; set; }

    /// <summary>In a comparison, the column heading of the first summary. The default is "Before".</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public string Before
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = HdrHistogramSummary.DefaultBefore;

    /// <summary>In a comparison, the column heading of the second summary. The default is "After".</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public string After
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = HdrHistogramSummary.DefaultAfter;

    /// <summary>The unit of the values. Values are shown with as many decimals as are known, and the name of the unit is appended to the
    /// heading, for example <c>Latency, ms</c>. By default, there is no unit, and values are shown as recorded.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public HdrHistogramUnit Unit
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = HdrHistogramUnit.None;

    /// <summary>Whether to omit percentiles that have no recorded value above them, because they are equal to the maximum.</summary>
    internal bool OmitsMaximum { get; init; }

    /// <summary>Whether to show the number with the fewest digits in a bucket instead of its midpoint: 1.5 if the midpoint is
    /// 1.501.</summary>
    internal bool UsesRoundValues { get; init; }

    internal string Heading(string defaultTitle) => Unit.Name.Length == 0 ? Title ?? defaultTitle : $"{Title ?? defaultTitle}, {Unit.Name}";
}
