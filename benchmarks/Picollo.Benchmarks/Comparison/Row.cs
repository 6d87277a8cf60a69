using System.Globalization;

namespace Picollo.Benchmarks.Comparison;

/// <summary>A line of a report: a contender, what it is held against, and how far it may be from it.</summary>
/// <param name="Section">The heading it stands under.</param>
/// <param name="Measured">The contender.</param>
/// <param name="Against">The contender it is compared with; <see langword="null"/> for none.</param>
/// <param name="Limit">The most that the ratio (or the difference) may be; <see langword="null"/> for no target.</param>
/// <param name="LimitNanoseconds">The most that the contender's own figure may be, in the place of <paramref name="Limit"/>.</param>
/// <param name="IsDifference">The limit is in nanoseconds above <paramref name="Against"/>, not a ratio to it.</param>
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

    /// <summary>Judged by the medians.</summary>
    /// <param name="median">The contender's.</param>
    /// <param name="distance">From the baseline's; not looked at where the row has none.</param>
    public string Verdict(double median, double distance) => (LimitNanoseconds, Limit) switch
    {
        ({ } limit, _) => Verdict(median - limit, " ns"),
        (_, { } limit) => Verdict(distance - limit, IsDifference ? " ns" : " x"),
        _ => string.Empty,
    };

    private static string Verdict(double excess, string unit) =>
        excess <= 0 ? "ok" : string.Create(CultureInfo.InvariantCulture, $"MISSED by {excess:#,0.00}{unit}");
}
