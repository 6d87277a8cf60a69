namespace Picollo.Metrics;

/// <summary>Describes the values of a registered histogram to code that shows them, such as an exposition or a page. Immutable. Two
/// descriptions are equal if all their properties are equal.</summary>
/// <remarks>
/// A histogram itself has no unit. All registrations of one name in a <see cref="HdrHistogramRegistry"/> share one description.
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

    /// <summary>A description of values without a unit. Every property has its default value.</summary>
    public static HdrHistogramDescription None { get; } = new();

    /// <summary>A description of values that are recorded in nanoseconds and shown in seconds. Fixed bounds cover 1 µs (2¹⁰ ns) to 69
    /// seconds (2³⁶ ns).</summary>
    public static HdrHistogramDescription Nanoseconds { get; } =
        new() { Unit = new() { Name = "seconds", Ratio = 1e9 }, LowestBound = 1UL << 10 };

    /// <summary>A sentence of plain text that says what is measured. Empty by default.</summary>
    /// <exception cref="ArgumentNullException">The text is <see langword="null"/>.</exception>
    public string Help
    {
        get;
        init => field = value ?? throw new ArgumentNullException(nameof(value));
    } = string.Empty;

    /// <summary>The unit in which values are shown, preferably one of Prometheus' base units in the plural: <c>seconds</c>, <c>bytes</c>,
    /// <c>ratio</c>. By default, there is no unit.</summary>
    /// <exception cref="ArgumentNullException">The unit is <see langword="null"/>.</exception>
    public HdrHistogramUnit Unit
    {
        get;
        init => field = value ?? throw new ArgumentNullException(nameof(value));
    } = HdrHistogramUnit.None;

    /// <summary>The smallest recorded value that an exposition with fixed bounds distinguishes from smaller values. The default is
    /// 0.</summary>
    public ulong LowestBound { get; init; }

    /// <summary>The largest recorded value that an exposition with fixed bounds distinguishes from larger values. The default is 2³⁶−1. It
    /// must be at least <see cref="LowestBound"/> when a histogram is registered.</summary>
    public ulong HighestBound { get; init; } = DefaultHighestBound;
}
