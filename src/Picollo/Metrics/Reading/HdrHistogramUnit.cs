namespace Picollo.Metrics;

/// <summary>The unit in which values are shown. Immutable. Two units are equal if both properties are equal.</summary>
/// <remarks>
/// A histogram itself has no unit. Code that shows its values divides them by <see cref="Ratio"/>.
/// <example>
/// <code>
/// HdrHistogramUnit milliseconds = new() { Name = "ms", Ratio = 1e6 }; // for values in nanoseconds
/// </code>
/// </example>
/// </remarks>
public sealed record HdrHistogramUnit
{
    /// <summary>No unit: values are shown as recorded.</summary>
    internal static HdrHistogramUnit None { get; } = new();

    /// <summary>The name of the unit, for example <c>ms</c>. Empty (the default) for no unit.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public string Name
    {
        get;
        init => field = value ?? throw new ArgumentNullException(nameof(value));
    } = string.Empty;

    /// <summary>The divisor of recorded values, from 10⁻³⁰ to 10³⁰. The default is 1. For example, 1e6 shows nanoseconds as
    /// milliseconds.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public double Ratio
    {
        get;
        init => field = value is >= 1e-30 and <= 1e30
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "The unit ratio must be from 1E-30 to 1E+30.");
    } = 1;

    private bool PrintMembers(System.Text.StringBuilder text) =>
        text.Append(CultureInfo.InvariantCulture, $"Name = {Name}, Ratio = {Ratio}").Length > 0;
}
