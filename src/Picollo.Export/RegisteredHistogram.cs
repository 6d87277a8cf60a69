namespace Picollo.Export;

/// <summary>Reads the data that all export formats need from a registration.</summary>
internal static class RegisteredHistogram
{
    // Only Picollo.AspNetCore has such facts.
    private static readonly ConditionalWeakTable<HdrHistogramRegistration, OwnerFacts> Facts = [];

    extension(HdrHistogramRegistration registration)
    {
        /// <summary>The facts that the owner of the histogram keeps in addition to its counts.</summary>
        public OwnerFacts OwnerFacts
        {
            get => Facts.TryGetValue(registration, out OwnerFacts? facts) ? facts : OwnerFacts.None;
            set => Facts.AddOrUpdate(registration, value);
        }

        /// <summary>The largest value below the range, in the display unit; 0 if there is none.</summary>
        public double ZeroThreshold =>
            (Math.Max(RangeOf(registration.Histogram).Start, 1) - 1) / registration.Description.Unit.Ratio;

        /// <summary>Reads the counts; null if the histogram is disposed.</summary>
        public HdrHistogramCounts? ReadCounts(HdrHistogramCounts? reuseInstance)
        {
            try
            {
                return registration.Histogram.GetCounts(reuseInstance);
            }
            catch (ObjectDisposedException)
            {
                return null;
            }
        }

        /// <summary>Returns the sum of all values, in the display unit.</summary>
        public double SumOf(HdrHistogramCounts counts)
        {
            (ulong start, ulong end) = RangeOf(registration.Histogram);
            double sum = registration.OwnerFacts.ExactSum is { } exact
                ? exact()
                : counts.GetSum() + ((double)counts.CountBelowRange * start) + ((double)counts.CountAboveRange * end);
            return sum / registration.Description.Unit.Ratio;
        }
    }

    /// <summary>Returns the smallest and the largest value for which a histogram has a counter.</summary>
    public static (ulong Start, ulong End) RangeOf(ReadOnlyHdrHistogram histogram)
    {
        HdrHistogramLayout layout = histogram.Layout;
        return (layout.GetStart(layout.GetIndex(histogram.MinTrackableValue)), layout.GetEnd(layout.GetIndex(histogram.MaxTrackableValue)));
    }
}

/// <summary>What the owner of a histogram keeps in addition to its counts. Each function is called for an exposition; null if the owner
/// does not keep the fact.</summary>
internal sealed record OwnerFacts
{
    public static OwnerFacts None { get; } = new();

    /// <summary>Returns the exact sum of the values. Otherwise, it is computed from the buckets.</summary>
    public Func<double>? ExactSum { get; init; }

    /// <summary>Returns exemplars in ascending order of their values.</summary>
    public Func<IReadOnlyList<Exemplar>>? Exemplars { get; init; }
}

/// <summary>A recorded value and the trace that it belongs to (https://prometheus.io/docs/specs/om/open_metrics_spec/#exemplars). The IDs
/// have 32 and 16 hexadecimal digits (W3C Trace Context).</summary>
internal readonly record struct Exemplar(ulong Value, DateTimeOffset Time, string TraceId, string SpanId)
{
    /// <summary>The label of the trace ID, as OpenTelemetry defines it for Prometheus.</summary>
    public const string TraceIdLabel = "trace_id";

    public const string SpanIdLabel = "span_id";
}
