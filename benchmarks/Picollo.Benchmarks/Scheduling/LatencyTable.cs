using System.Globalization;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>Percentiles of latencies in nanoseconds, printed in a unit of choice, and the most that median and p99 may be.</summary>
/// <param name="heading">What was measured.</param>
/// <param name="unit">Its name.</param>
/// <param name="nanoseconds">In one unit.</param>
/// <param name="more">Headings of further columns.</param>
internal sealed class LatencyTable(string heading, string unit, double nanoseconds, params string[] more)
    : TextTable([heading, $"p50, {unit}", $"p99, {unit}", $"max, {unit}", .. more, "target p50, p99", "verdict"])
{
    public static PlainHdrHistogram<uint> CreateHistogram() => HdrHistogram.Factory.WithRelativeError(0.001).Create();

    /// <param name="what">The line's name.</param>
    /// <param name="latencies">In nanoseconds.</param>
    /// <param name="limit50">Of the median, in the unit; null for no target.</param>
    /// <param name="limit99">Of p99, likewise.</param>
    /// <param name="cells">Of the further columns.</param>
    public void Add(string what, HdrHistogram latencies, double? limit50 = null, double? limit99 = null, params string[] cells)
    {
        double p50 = latencies.GetPercentileValue(50) / nanoseconds;
        double p99 = latencies.GetPercentileValue(99) / nanoseconds;
        double max = latencies.GetPercentileValue(100) / nanoseconds;
        string target = limit50 is null && limit99 is null ? "" : $"<= {Limit(limit50)}, <= {Limit(limit99)}";
        string missed = string.Join(", ", new[] { Miss("p50", p50, limit50), Miss("p99", p99, limit99) }.OfType<string>());
        Add([what, Text(p50), Text(p99), Text(max), .. cells, target, target.Length == 0 ? "" : missed.Length == 0 ? "ok" : $"MISSED: {missed}"]);
    }

    public static string Text(double number) => number.ToString(Math.Abs(number) < 10 ? "0.00" : "#,0.0", CultureInfo.InvariantCulture);

    private static string Limit(double? limit) => limit?.ToString("#,0.##", CultureInfo.InvariantCulture) ?? "any";

    private static string? Miss(string what, double figure, double? limit) =>
        figure > limit ? $"{what} by {Text(figure - limit.Value)}" : null;
}
