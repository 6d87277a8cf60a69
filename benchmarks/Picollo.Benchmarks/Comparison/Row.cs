using System.Globalization;

namespace Picollo.Benchmarks.Comparison;

/// <summary>A row of a report: a contender, its baseline, and the target.</summary>
/// <param name="Section">The heading of the section.</param>
/// <param name="Measured">The contender.</param>
/// <param name="Against">The baseline, or <see langword="null"/> for no comparison.</param>
/// <param name="Limit">The maximum ratio (or difference) to the baseline, or <see langword="null"/> for no target.</param>
/// <param name="IsDifference"><see langword="true"/> if <paramref name="Limit"/> is a difference from the baseline in nanoseconds, not a
/// ratio.</param>
/// <param name="LimitNanoseconds">The maximum time of the contender in nanoseconds, instead of <paramref name="Limit"/>.</param>
internal sealed record Row(
    string Section,
    Contender Measured,
    Contender? Against = null,
    double? Limit = null,
    bool IsDifference = false,
    double? LimitNanoseconds = null)
{
    public string TargetText => (Limit, IsDifference) switch
    {
        _ when LimitNanoseconds is { } limit => string.Create(CultureInfo.InvariantCulture, $"<= {limit:#,0.##} ns"),
        (null, _) => string.Empty,
        (double limit, true) => string.Create(CultureInfo.InvariantCulture, $"<= {limit:0.##} ns over"),
        (double limit, false) => string.Create(CultureInfo.InvariantCulture, $"<= {limit:0.##} x"),
    };

    public double Distance(double measured, double against) => IsDifference ? measured - against : measured / against;

    public string DistanceText(double distance) =>
        distance.ToString(IsDifference ? "+0.00;-0.00' ns'" : "0.00' x'", CultureInfo.InvariantCulture);

    /// <summary>Compares the median with the target.</summary>
    /// <param name="median">The median of the contender.</param>
    /// <param name="distance">The distance from the median of the baseline. Ignored if the row has no baseline.</param>
    public string Verdict(double median, double distance) => (LimitNanoseconds, Limit) switch
    {
        ({ } limit, _) => Verdict(median - limit, " ns"),
        (_, { } limit) => Verdict(distance - limit, IsDifference ? " ns" : " x"),
        _ => string.Empty,
    };

    private static string Verdict(double excess, string unit) =>
        excess <= 0 ? "ok" : string.Create(CultureInfo.InvariantCulture, $"MISSED by {excess:#,0.00}{unit}");
}
