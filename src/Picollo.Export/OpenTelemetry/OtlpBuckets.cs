namespace Picollo.Export;

/// <summary>Selects the buckets of exported histograms. Not thread-safe.</summary>
/// <param name="usesExponential">Whether buckets are exponential, and not explicit.</param>
/// <param name="given">The application's bounds by the name of the histogram.</param>
internal sealed class OtlpBuckets(bool usesExponential, IReadOnlyDictionary<string, double[]> given)
{
    /// <summary>The schema, which OpenTelemetry calls scale. Buckets are 2.2 % wide.</summary>
    public const int Scale = 5;

    // https://opentelemetry.io/docs/specs/semconv/http/http-metrics/
    private static readonly double[] ConventionSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

    // The CPU time of a request is often below the first bound of the conventions. These bounds include all of them.
    private static readonly double[] Seconds =
        [1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 0.001, 0.0025, .. ConventionSeconds, 25, 50, 100];

    private static readonly double[] Bytes = [.. Enumerable.Range(3, 13).Select(power => Math.ScaleB(1, 2 * power))]; // 64 B to 1 GiB

    // https://opentelemetry.io/docs/specs/otel/metrics/sdk/#explicit-bucket-histogram-aggregation
    private static readonly double[] Default = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000];

    private readonly BucketsCache<ExponentialBounds> _exponential = new((histogram, ratio) => new(histogram, ratio, Scale));
    private readonly Dictionary<double[], BucketsCache<ExplicitBounds>> _explicit = []; // by reference

    public HistogramBuckets Get(HdrHistogramRegistration registration)
    {
        if (usesExponential)
        {
            return _exponential.Get(registration);
        }

        double[] bounds = given.GetValueOrDefault(registration.Name) ?? DefaultOf(registration);
        if (!_explicit.TryGetValue(bounds, out BucketsCache<ExplicitBounds>? cache))
        {
            _explicit.Add(bounds, cache = new((histogram, ratio) => new(histogram, ratio, bounds)));
        }

        return cache.Get(registration);
    }

    private static double[] DefaultOf(HdrHistogramRegistration registration) => registration.Description.Unit.Name switch
    {
        "seconds" when registration.Name.StartsWith("http.", StringComparison.Ordinal) => ConventionSeconds,
        "seconds" => Seconds,
        "bytes" => Bytes,
        _ => Default,
    };
}
