namespace Picollo.Metrics;

/// <summary>
/// What the values of a registered histogram mean, for those who show them: an exposition, a page. Immutable, and equal where
/// all properties are.
/// </summary>
/// <remarks>
/// A histogram itself knows no unit. All registrations of one name in a <see cref="HdrHistogramRegistry"/> have one description.
/// <example>
/// <code>
/// HdrHistogramDescription bytes = new() { Help = "Size of a reply.", Unit = "bytes" };
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
    public static HdrHistogramDescription Nanoseconds { get; } = new() { Unit = "seconds", ValueUnitRatio = 1e9, LowestBound = 1UL << 10 };

    /// <summary>What was measured, a sentence or so of plain text; empty by default.</summary>
    /// <exception cref="ArgumentNullException">The text is <see langword="null"/>.</exception>
    public string Help
    {
        get;
        init => field = value ?? throw new ArgumentNullException(nameof(value));
    } = string.Empty;

    /// <summary>The unit that values are shown in, best one of Prometheus' base units in the plural: <c>seconds</c>, <c>bytes</c>,
    /// <c>ratio</c>. Empty, the default, for none.</summary>
    /// <exception cref="ArgumentNullException">The text is <see langword="null"/>.</exception>
    public string Unit
    {
        get;
        init => field = value ?? throw new ArgumentNullException(nameof(value));
    } = string.Empty;

    /// <summary>What recorded values are divided by to be in <see cref="Unit"/>: 1e9 for nanoseconds as seconds. From 10⁻³⁰ to
    /// 10³⁰; 1 by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The ratio is outside its range.</exception>
    public double ValueUnitRatio
    {
        get;
        init
        {
            UnitRatio.CheckWithinUnits(value);
            field = value;
        }
    } = 1;

    /// <summary>The smallest value, as it is recorded, that an exposition with fixed bounds tells apart from smaller ones; 0 by
    /// default.</summary>
    public ulong LowestBound { get; init; }

    /// <summary>The largest value, as it is recorded, that an exposition with fixed bounds tells apart from larger ones; 2³⁶−1 by
    /// default. At least <see cref="LowestBound"/> when a histogram is registered with it.</summary>
    public ulong HighestBound { get; init; } = DefaultHighestBound;
}
