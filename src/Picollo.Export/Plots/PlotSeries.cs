using Picollo.Export.Text;

namespace Picollo.Export.Plots;

/// <summary>A validated series with a copy of its counts, because plots read it several times and need consistent data.</summary>
/// <remarks>A plot of thousands of series holds all copies at once. A histogram would need a page for each octave with values.</remarks>
internal sealed class PlotSeries
{
    private const int MaxTitleLength = 120;
    private const int MaxTooltipLength = 40;

    private readonly PlainHdrHistogramFactory<ulong> _factory;
    private string _title = "";

    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    private PlotSeries(string name, ReadOnlyHdrHistogram histogram)
    {
        (Name, _factory) = (name, HdrHistogram.Factory.WithLayoutOf(histogram).WithUInt64Storage());
        using HdrHistogramCounts counts = histogram.GetCounts();
        OverflowCount = counts.CountBelowRange + counts.CountAboveRange;
        List<PlotBucket> buckets = [];
        ReadOnlySpan<ulong> used = counts.AsSpan();
        for (int i = 0; i < used.Length; i++)
        {
            if (used[i] != 0)
            {
                int index = counts.FirstIndex + i;
                buckets.Add(new(counts.Layout.GetStart(index), counts.Layout.GetStep(index), used[i]));
            }
        }

        Buckets = [.. buckets];
    }

    public string Name { get; }

    /// <summary>The buckets with values, in ascending order.</summary>
    public PlotBucket[] Buckets { get; }

    /// <summary>The number of values out of range.</summary>
    public ulong OverflowCount { get; }

    /// <summary>The name in a legend or a table, which have space for a few lines.</summary>
    public string Label => Buckets.Length == 0 ? _title + " (no values)" : _title;

    /// <summary>The name in a tooltip.</summary>
    public string ShortName { get; private set; } = "";

    /// <summary>Reads each of the series once.</summary>
    /// <exception cref="ArgumentNullException">The list is null, or a series has no name or histogram; the message names it.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed; the message names it.</exception>
    public static PlotSeries[] ReadAll(IReadOnlyList<KeyValuePair<string, ReadOnlyHdrHistogram>> series)
    {
        ArgumentNullException.ThrowIfNull(series);
        return Shorten([.. series.Select((item, i) => Read(item, nameof(series), $"{nameof(series)}[{i}]"))]);
    }

    /// <summary>Reads two series to compare.</summary>
    /// <exception cref="ArgumentNullException">A name or histogram is missing.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed.</exception>
    public static PlotSeries[] ReadBoth(
        KeyValuePair<string, ReadOnlyHdrHistogram> before, KeyValuePair<string, ReadOnlyHdrHistogram> after) =>
        Shorten([Read(before, nameof(before), nameof(before)), Read(after, nameof(after), nameof(after))]);

    /// <summary>Returns a histogram of the values within the range.</summary>
    public PlainHdrHistogram<ulong> ToHistogram()
    {
        PlainHdrHistogram<ulong> histogram = _factory.Create();
        foreach (PlotBucket bucket in Buckets)
        {
            histogram.Record(bucket.Start, bucket.Count);
        }

        return histogram;
    }

    private static PlotSeries[] Shorten(PlotSeries[] series)
    {
        string[] names = [.. series.Select(item => item.Name)];
        (string[] titles, string[] shortNames) = (FittedNames.From(names, MaxTitleLength), FittedNames.From(names, MaxTooltipLength));
        for (int i = 0; i < series.Length; i++)
        {
            (series[i]._title, series[i].ShortName) = (titles[i], shortNames[i]);
        }

        return series;
    }

    // The parameter is the argument that is or contains the series. The place is the expression for the series, for messages.
    private static PlotSeries Read(KeyValuePair<string, ReadOnlyHdrHistogram> series, string parameter, string place)
    {
        if (series.Key is null || series.Value is null)
        {
            string missing = series.Key is null ? nameof(series.Key) : nameof(series.Value);
            throw new ArgumentNullException(parameter, $"{place}.{missing} is null.");
        }

        try
        {
            return new(series.Key, series.Value);
        }
        catch (ObjectDisposedException e)
        {
            const int Letters = 80;
            throw new ObjectDisposedException(
                e.ObjectName, $"The histogram of {place}, \"{FittedText.Shorten(series.Key, Letters)}\", is disposed.");
        }
    }
}

/// <summary>A bucket with values.</summary>
internal readonly record struct PlotBucket(ulong Start, ulong Step, ulong Count);
