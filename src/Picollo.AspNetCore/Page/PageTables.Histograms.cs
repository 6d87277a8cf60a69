using System.Globalization;
using System.Text;
using Picollo.AspNetCore.Reading;
using Picollo.Diagnostics;
using Picollo.Export.Html;
using Picollo.Export.Text;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <content>The tables of registered histograms, and the totals of the runtime and of meters.</content>
internal static partial class PageTables
{
    // A limit, because a meter may have a thousand series and the table is sent each second.
    private const int MaxHistogramRows = 100;

    private static void WriteTotals(StringBuilder html, RuntimeReading runtime, TimeSpan window)
    {
        RuntimeTotals totals = runtime.Totals;
        html.Append(
            CultureInfo.InvariantCulture,
            $"""
            <p class="nothing">Over the last {Window(window)}: GC pauses took {Quantity.Percent(runtime.PauseShare)} of the time;
            {Quantity.Bytes(runtime.AllocationRate)} were allocated
            and {Quantity.Short(runtime.ExceptionRate)} exceptions thrown per second.
            Since the start: collections: {totals.Gen0CollectionCount:N0} (generation 1 and above: {totals.Gen1CollectionCount:N0},
            generation 2: {totals.Gen2CollectionCount:N0}) with {Quantity.Time(totals.GcPauseTime.TotalNanoseconds)} of pauses;
            {Quantity.Bytes(totals.AllocatedBytes)} allocated; exceptions: {totals.ExceptionCount:N0};
            compiled methods: {totals.CompiledMethodCount ?? 0:N0}, in {Quantity.Time(totals.CompilationTime.TotalNanoseconds)}.</p>

            """);
    }

    /// <summary>Returns the histograms that fit in the table, in their order: those with the most values, and the chosen one.</summary>
    private static IReadOnlyList<RowReading> MostUsed(IReadOnlyList<RowReading> histograms, string? chosen)
    {
        if (histograms.Count <= MaxHistogramRows)
        {
            return histograms;
        }

        HashSet<RowReading> most = new(
            histograms.OrderByDescending(row => row.Row.Id == chosen).ThenByDescending(row => row.Count).Take(MaxHistogramRows),
            ReferenceEqualityComparer.Instance);
        return [.. histograms.Where(most.Contains)];
    }

    private static void WriteHistograms(
        StringBuilder html, string caption, IReadOnlyList<RowReading> histograms, RecentWindow? window, string? chosen)
    {
        if (histograms.Count == 0)
        {
            return;
        }

        html.Append(
            CultureInfo.InvariantCulture,
            $"""
            <div class="table">
            <table class="histograms">
            <caption>{caption} <small>since the start</small></caption>
            <thead><tr><th scope="col">{Sort("Name", 0)}</th><th scope="col">{Sort("Values", 1)}</th>
            <th scope="col">{Sort("per second", 2)}</th>{Heads("", 3, Percentiles.AllNames)}<th scope="col">Unit</th></tr></thead>
            <tbody>

            """);
        IEnumerable<string> names = Html.Names(SeriesNames.Shorten([.. histograms.Select(histogram => histogram.Row.Registrations[0])]));
        foreach ((RowReading histogram, string name) in histograms.Zip(names))
        {
            BeginRow(html, histogram, name, chosen, window);
            ulong outside = histogram.Percentiles[0]!.OutOfRange;
            string outOfRange = outside == 0 ? "" : $"<small> {Quantity.Count(outside)} out of range</small>";
            Cell(html, "values", "", Quantity.Count(histogram.Count) + outOfRange);
            Cell(html, "per second", "", Quantity.Number(histogram.Rate));
            WritePercentiles(html, "", "", histogram.Row, histogram.Percentiles[0]!.AllShown);
            Cell(html, "unit", "unit", Html.Unit(histogram.Row.Unit.Name));
            html.Append("</tr>\n");
        }

        html.Append("</tbody>\n</table>\n</div>\n");
    }

    /// <summary>Appends the number of measurements that the histograms do not contain, or contain without their tags.</summary>
    private static void WriteMeters(StringBuilder html, PageReading reading)
    {
        if (reading.Meters is not { } meters)
        {
            return;
        }

        if (meters.UnavailableReason is { } reason)
        {
            html.Append(CultureInfo.InvariantCulture, $"<p class=\"nothing\">Meters are not recorded. {Markup.Encode(reason)}</p>\n");
            return;
        }

        (string Text, long Count)[] all =
        [
            ("negative values that were not recorded", meters.NegativeMeasurementCount),
            ("values that are not finite numbers and were not recorded", meters.NaNMeasurementCount),
            ($"values in overflow series (<code>MaxSeries</code> is {reading.MaxSeries})", meters.OverflowSeriesMeasurementCount),
            ("instruments that are ignored because there are too many", meters.RefusedInstrumentCount),
        ];
        string[] lines = [.. all.Where(total => total.Count > 0).Select(total => $"{Quantity.Count(total.Count)} {total.Text}")];
        if (lines.Length > 0)
        {
            html.Append(CultureInfo.InvariantCulture, $"<p class=\"nothing\">Meters: {string.Join("; ", lines)}.</p>\n");
        }
    }
}

/// <summary>Creates the names of the histograms in one table.</summary>
internal static class SeriesNames
{
    /// <summary>Returns the name of each histogram with the labels in which it differs from other histograms of the same name. Labels that
    /// all of them share are omitted to save space. A name that occurs once has all its labels.</summary>
    public static IReadOnlyList<string> Shorten(IReadOnlyList<HdrHistogramRegistration> all)
    {
        Dictionary<string, HashSet<KeyValuePair<string, string>>> shared = [];
        foreach (IGrouping<string, HdrHistogramRegistration> series in all.GroupBy(histogram => histogram.Name))
        {
            HashSet<KeyValuePair<string, string>> common = [.. series.First().Labels];
            foreach (HdrHistogramRegistration histogram in series)
            {
                common.IntersectWith(histogram.Labels);
            }

            shared[series.Key] = series.Count() == 1 ? [] : common;
        }

        return
        [
            .. all.Select(histogram => new HdrHistogramRegistration(
                histogram.Name,
                histogram.Histogram,
                histogram.Description,
                [.. histogram.Labels.Where(label => !shared[histogram.Name].Contains(label))]).ToString()),
        ];
    }
}
