using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Picollo.Export;

/// <summary>A series of an exposition that is to be written, or the reason why it is left out.</summary>
/// <param name="Series">The series.</param>
/// <param name="Copy">Its counters, to be disposed; empty if it is left out.</param>
/// <param name="IsFirstOfName">Whether it is the first of its name that is written.</param>
/// <param name="LeftOut">The reason, as text; null for a series that is written.</param>
internal readonly record struct PrometheusSelected(PrometheusSeries Series, CountsCopy Copy, bool IsFirstOfName, byte[]? LeftOut);

/// <summary>Selects what an exposition has of several registrations, and remembers the constant parts of each as long as it lives.
/// Thread-safe.</summary>
internal sealed class PrometheusSelection
{
    private static readonly byte[] SameSeries = "it has the name and labels of the series above"u8.ToArray();
    private static readonly byte[] SameLines = "another histogram's lines have this name"u8.ToArray();

    private readonly double _relativeError;
    private readonly ConditionalWeakTable<HdrHistogramRegistration, PrometheusSeries> _series = [];
    private readonly ConditionalWeakTable<HdrHistogramRegistration, PrometheusSeries>.CreateValueCallback _render;

    // As many as there are kinds of histograms, few: those of one kind share their bounds.
    private readonly ConcurrentDictionary<BoundsKey, PrometheusBounds> _bounds = new();

    public PrometheusSelection(double relativeError) => (_relativeError, _render) = (relativeError, Render);

    /// <summary>The series, in the order of their names and labels. Those that are disposed are not among them.</summary>
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

    // By name and then by labels, so that a name's series stand together; a stable order, so that the first of equal ones stays
    // the first. A name stands before those that it begins: x is written, or is not, before x_sum asks.
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
