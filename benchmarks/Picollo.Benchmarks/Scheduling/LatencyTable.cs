using System.Globalization;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>A table with percentiles of latencies in a given unit, and targets for the median and p99.</summary>
/// <param name="heading">The heading of the table.</param>
/// <param name="unit">The name of the unit.</param>
/// <param name="nanoseconds">The number of nanoseconds in a unit.</param>
/// <param name="more">The headings of additional columns.</param>
internal sealed class LatencyTable(string heading, string unit, double nanoseconds, params string[] more)
    : TextTable([heading, $"p50, {unit}", $"p99, {unit}", $"max, {unit}", .. more, "target p50, p99", "verdict"])
{
    public static PlainHdrHistogram<uint> CreateHistogram() => HdrHistogram.Factory.WithRelativeError(0.001).Create();

    /// <summary>Adds a row.</summary>
    /// <param name="name">The name of the row.</param>
    /// <param name="latencies">The latencies in nanoseconds.</param>
    /// <param name="limit50">The limit of the median in the unit, or <see langword="null"/> for no target.</param>
    /// <param name="limit99">The limit of p99 in the unit, or <see langword="null"/> for no target.</param>
    /// <param name="cells">The cells of the additional columns.</param>
    public void Add(string name, HdrHistogram latencies, double? limit50 = null, double? limit99 = null, params string[] cells)
    {
        double p50 = latencies.GetPercentileValue(50) / nanoseconds;
        double p99 = latencies.GetPercentileValue(99) / nanoseconds;
        double max = latencies.GetPercentileValue(100) / nanoseconds;
        string target = limit50 is null && limit99 is null ? "" : $"<= {Limit(limit50)}, <= {Limit(limit99)}";
        string missed = string.Join(", ", new[] { Miss("p50", p50, limit50), Miss("p99", p99, limit99) }.OfType<string>());
        Add([name, Text(p50), Text(p99), Text(max), .. cells, target, target.Length == 0 ? "" : missed.Length == 0 ? "ok" : $"MISSED: {missed}"]);
    }

    public static string Text(double number) => number.ToString(Math.Abs(number) < 10 ? "0.00" : "#,0.0", CultureInfo.InvariantCulture);

    private static string Limit(double? limit) => limit?.ToString("#,0.##", CultureInfo.InvariantCulture) ?? "any";

    private static string? Miss(string percentile, double figure, double? limit) =>
        figure > limit ? $"{percentile} by {Text(figure - limit.Value)}" : null;
}
