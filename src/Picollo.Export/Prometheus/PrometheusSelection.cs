using System.Collections.Concurrent;

namespace Picollo.Export;

/// <summary>A series to write. The caller must dispose its counts before it enumerates the next series, which reuses the object.</summary>
internal readonly record struct PrometheusSelected(PrometheusSeries Series, HdrHistogramCounts Counts, bool IsFirstOfName);

/// <summary>Selects the series of an exposition, and caches the constant parts of each registration while it exists. Thread-safe.</summary>
internal sealed class PrometheusSelection
{
    /// <summary>The name of the gauge of the histograms that are omitted.</summary>
    public const string Omitted = "picollo_omitted_histograms";

    private const string SameSeries = "another histogram has this name and these labels";
    private const string SameLines = "another metric or one of its lines has this name";

    private readonly double _relativeError;
    private readonly ConditionalWeakTable<HdrHistogramRegistration, PrometheusSeries> _series = [];
    private readonly ConditionalWeakTable<HdrHistogramRegistration, PrometheusSeries>.CreateValueCallback _render;

    // There is one entry per kind of histogram, and there are few kinds. Histograms of one kind share their bounds.
    private readonly ConcurrentDictionary<BoundsKey, PrometheusBounds> _bounds = new();

    public PrometheusSelection(double relativeError) => (_relativeError, _render) = (relativeError, Render);

    /// <summary>Returns the series in the order of their names and labels, without those that are disposed.</summary>
    /// <remarks>The omitted histograms are added with the reasons while the result is enumerated.</remarks>
    public IEnumerable<PrometheusSelected> Select(
        IReadOnlyList<HdrHistogramRegistration> registrations, IReadOnlySet<string> taken, List<(string Histogram, string Reason)> omitted)
    {
        List<string> names = []; // in ordinal order, because the series are
        HdrHistogramCounts? reused = null;
        PrometheusSeries? last = null;
        foreach (PrometheusSeries series in Sorted(registrations))
        {
            string? reason = last?.Name == series.Name && last.Labels == series.Labels ? SameSeries
                : (series.Owner is { } owner && names.BinarySearch(owner, StringComparer.Ordinal) >= 0)
                    || IsTaken(series, taken) ? SameLines
                : null;
            if (reason is not null)
            {
                // Without lone surrogates, so that texts that become equal are counted together.
                omitted.Add((string.Concat(series.Registration.ToString().EnumerateRunes()), reason));
            }
            else if (series.Registration.ReadCounts(reused) is { } counts)
            {
                reused = counts;
                bool isFirstOfName = last?.Name != series.Name;
                if (isFirstOfName)
                {
                    names.Add(series.Name);
                }

                last = series;
                yield return new(series, counts, isFirstOfName);
            }
        }
    }

    // No LINQ, which would allocate for each registration.
    private static bool IsTaken(PrometheusSeries series, IReadOnlySet<string> taken)
    {
        foreach (string line in series.Lines)
        {
            if (line == Omitted || taken.Contains(line))
            {
                return true;
            }
        }

        return false;
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
            histogram.MinTrackableValue,
            histogram.MaxTrackableValue,
            description.LowestBound,
            description.HighestBound,
            description.Unit.Ratio);
        return new PrometheusSeries(registration, _bounds.GetOrAdd(key, _ => new PrometheusBounds(histogram, description, _relativeError)));
    }

    private readonly record struct BoundsKey(HdrHistogramLayout Layout, ulong Min, ulong Max, ulong Lowest, ulong Highest, double Ratio);
}
