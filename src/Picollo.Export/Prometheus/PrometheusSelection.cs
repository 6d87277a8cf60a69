using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Picollo.Export;

/// <summary>A series to write, or the reason why it is omitted.</summary>
/// <param name="Series">The series.</param>
/// <param name="Copy">The counters, which the caller must dispose; empty if the series is omitted.</param>
/// <param name="IsFirstOfName">Whether this is the first written series with its name.</param>
/// <param name="OmissionReason">The reason as text; null for a series to write.</param>
internal readonly record struct PrometheusSelected(PrometheusSeries Series, CountsCopy Copy, bool IsFirstOfName, byte[]? OmissionReason);

/// <summary>Selects the series of an exposition, and caches the constant parts of each registration while it exists. Thread-safe.</summary>
internal sealed class PrometheusSelection
{
    private static readonly byte[] SameSeries = "it has the same name and labels as the series above"u8.ToArray();
    private static readonly byte[] SameLines = "another histogram has lines with this name"u8.ToArray();

    private readonly double _relativeError;
    private readonly ConditionalWeakTable<HdrHistogramRegistration, PrometheusSeries> _series = [];
    private readonly ConditionalWeakTable<HdrHistogramRegistration, PrometheusSeries>.CreateValueCallback _render;

    // There is one entry per kind of histogram, and there are few kinds. Histograms of one kind share their bounds.
    private readonly ConcurrentDictionary<BoundsKey, PrometheusBounds> _bounds = new();

    public PrometheusSelection(double relativeError) => (_relativeError, _render) = (relativeError, Render);

    /// <summary>Returns the series in the order of their names and labels, without those that are disposed.</summary>
    public IEnumerable<PrometheusSelected> Select(IReadOnlyList<HdrHistogramRegistration> registrations)
    {
        HashSet<string> names = [];
        PrometheusSeries? last = null;
        foreach (PrometheusSeries series in Sorted(registrations))
        {
            if (last?.Name == series.Name && last.Labels == series.Labels)
            {
                yield return new(series, default, false, SameSeries);
            }
            else if (series.Owner is { } owner && names.Contains(owner))
            {
                yield return new(series, default, false, SameLines);
            }
            else if (series.Registration.TryRead(out CountsCopy copy))
            {
                last = series;
                yield return new(series, copy, names.Add(series.Name), null);
            }
        }
    }

    // The order is by name and then by labels, so that the series of a name are adjacent. It is stable, so that the first of equal series
    // is kept. A name precedes longer names that start with it, so x is handled before x_sum.
    private IEnumerable<PrometheusSeries> Sorted(IReadOnlyList<HdrHistogramRegistration> registrations) => registrations
        .Select(registration => _series.GetValue(registration, _render))
        .OrderBy(series => series.Name, StringComparer.Ordinal)
        .ThenBy(series => series.Labels, StringComparer.Ordinal);

    private PrometheusSeries Render(HdrHistogramRegistration registration)
    {
        HdrHistogram histogram = registration.Histogram;
        HdrHistogramDescription description = registration.Description;
        BoundsKey key = new(
            histogram.Layout,
            histogram.FirstIndex,
            histogram.Length,
            description.LowestBound,
            description.HighestBound,
            description.Unit.Ratio);
        return new PrometheusSeries(registration, _bounds.GetOrAdd(key, _ => new PrometheusBounds(histogram, description, _relativeError)));
    }

    private readonly record struct BoundsKey(HdrLayout Layout, uint FirstIndex, int Length, ulong Lowest, ulong Highest, double Ratio);
}
