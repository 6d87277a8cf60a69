using System.Globalization;

namespace Picollo.Benchmarks.Comparison;

/// <summary>A line of a report: a contender, what it is held against, and how far it may be from it.</summary>
/// <param name="Section">The heading it stands under.</param>
/// <param name="Measured">The contender.</param>
/// <param name="Against">The contender it is compared with; <see langword="null"/> for none.</param>
/// <param name="Limit">The most that the ratio (or the difference) may be; <see langword="null"/> for no target.</param>
/// <param name="IsDifference">The limit is in nanoseconds above <paramref name="Against"/>, not a ratio to it.</param>
internal sealed record Row(
    string Section, Contender Measured, Contender? Against = null, double? Limit = null, bool IsDifference = false)
{
    public string TargetText => (Limit, IsDifference) switch
    {
        (null, _) => string.Empty,
        (double limit, true) => string.Create(CultureInfo.InvariantCulture, $"<= {limit:0.##} ns over"),
        (double limit, false) => string.Create(CultureInfo.InvariantCulture, $"<= {limit:0.##} x"),
    };

    public double Distance(double measured, double against) => IsDifference ? measured - against : measured / against;

    public string DistanceText(double distance) =>
        distance.ToString(IsDifference ? "+0.00;-0.00' ns'" : "0.00' x'", CultureInfo.InvariantCulture);

    /// <summary>Judged by the medians.</summary>
    public string Verdict(double distance) => Limit is not { } limit
        ? string.Empty
        : distance <= limit
            ? "ok"
            : string.Create(CultureInfo.InvariantCulture, $"MISSED by {distance - limit:0.00}{(IsDifference ? " ns" : " x")}");
}
