namespace Picollo.Metrics;

/// <summary>What the values of a registered histogram mean, for those who show them: an exposition, a page. Immutable, and equal where all
/// properties are.</summary>
/// <remarks>
/// A histogram itself knows no unit. All registrations of one name in a <see cref="HdrHistogramRegistry"/> have one description.
/// <example>
/// <code>
/// HdrHistogramDescription bytes = new() { Help = "Size of a reply.", Unit = new() { Name = "bytes" } };
/// registry.Add("reply_size", HdrHistogram.Create(), bytes, [new("route", "/orders")]);
/// HdrHistogramDescription wait = HdrHistogramDescription.Nanoseconds with { Help = "Time in the queue." };
/// registry.Add("queue_wait", HdrHistogram.Create(), wait);
/// </code>
/// </example>
/// </remarks>
public sealed record HdrHistogramDescription
{
    private const ulong DefaultHighestBound = (1UL << 36) - 1;

    /// <summary>Values without a unit, as they were recorded: the default of every property.</summary>
    public static HdrHistogramDescription None { get; } = new();

    /// <summary>Nanoseconds that are shown as seconds; fixed bounds cover a microsecond (2¹⁰ ns) to 69 seconds (2³⁶ ns).</summary>
    public static HdrHistogramDescription Nanoseconds { get; } =
        new() { Unit = new() { Name = "seconds", Ratio = 1e9 }, LowestBound = 1UL << 10 };

    /// <summary>What was measured, a sentence or so of plain text; empty by default.</summary>
    /// <exception cref="ArgumentNullException">The text is <see langword="null"/>.</exception>
    public string Help
    {
        get;
        init => field = value ?? throw new ArgumentNullException(nameof(value));
    } = string.Empty;

    /// <summary>The unit that values are shown in, best one of Prometheus' base units in the plural: <c>seconds</c>, <c>bytes</c>,
    /// <c>ratio</c>. No unit by default.</summary>
    /// <exception cref="ArgumentNullException">The unit is <see langword="null"/>.</exception>
    public HdrHistogramUnit Unit
    {
        get;
        init => field = value ?? throw new ArgumentNullException(nameof(value));
    } = HdrHistogramUnit.None;

    /// <summary>The smallest value, as it is recorded, that an exposition with fixed bounds tells apart from smaller ones; 0 by
    /// default.</summary>
    public ulong LowestBound { get; init; }

    /// <summary>The largest value, as it is recorded, that an exposition with fixed bounds tells apart from larger ones; 2³⁶−1 by
    /// default. At least <see cref="LowestBound"/> when a histogram is registered with it.</summary>
    public ulong HighestBound { get; init; } = DefaultHighestBound;
}
