using Picollo.AspNetCore.Measuring;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Reading;

/// <summary>A time window of the page's percentiles and plots that ends now.</summary>
/// <param name="Id">The ID in addresses.</param>
/// <param name="Title">The title on the page.</param>
/// <param name="Length">The length of the window. It is shorter until the page has been viewed for this time.</param>
/// <param name="Step">The time between the moments at which the window can start.</param>
internal sealed record RecentWindow(string Id, string Title, TimeSpan Length, TimeSpan Step)
{
    public static RecentWindow Minute { get; } = new("1m", "last minute", TimeSpan.FromMinutes(1), TimeSpan.FromSeconds(10));

    public static RecentWindow TenMinutes { get; } = new("10m", "last 10 minutes", TimeSpan.FromMinutes(10), TimeSpan.FromMinutes(1));

    public static IReadOnlyList<RecentWindow> All { get; } = [TenMinutes, Minute];

    /// <summary>Returns the window with an ID; null, which means the time since the start, for any other text.</summary>
    public static RecentWindow? Find(string id) => All.FirstOrDefault(window => window.Id == id);

    /// <summary>The maximum age of a moment at which the window can start.</summary>
    public TimeSpan MaxStartAge => Length + Step;
}

/// <summary>Computes the percentiles of the last minutes, without the first requests, which the JIT compiler slows down. While the page is
/// viewed, the state of routes and named work is kept for several moments in the last ten minutes. Thread-safe.</summary>
/// <remarks>
/// <para>A moment is kept every 10 s for one minute and every minute for ten minutes, at most 19 moments. A moment contains the compressed
/// encoding of each histogram of each row. Moments share unchanged states. With 256 routes, the moments take 3 MB if the requests of each
/// route spread over 100 buckets, and always less than 70 MB, or 140 MB with the bytes of allocations and bodies (measured by
/// <c>RecentHistoryTests</c>). The states of the latency take 4.4 KB for each moment and row that has changed, less than 22 MB. While the
/// page is not viewed, nothing runs and nothing more is kept.</para>
/// </remarks>
internal sealed class RecentHistory(PageRows rows, TimeProvider time)
{
    private readonly Lock _gate = new();
    private readonly HdrHistogramSummary _summary = new();
    private readonly List<Moment> _moments = []; // oldest first
    private readonly Dictionary<RecentWindow, (PageReading Whole, PageReading Recent)> _last = [];

    /// <summary>The number of kept moments.</summary>
    internal int Moments => _moments.Count;

    /// <summary>The size of all kept encodings, in bytes.</summary>
    internal long KeptBytes =>
        _moments.SelectMany(moment => moment.States.Values).Distinct().Sum(state => state.Encoded.Sum(encoded => encoded?.Length ?? 0));

    /// <summary>Returns a reading with the percentiles of a window. Must be called for each view of the page, even without a window,
    /// because it keeps the moments at which later windows start.</summary>
    public PageReading ReadWindow(PageReading reading, RecentWindow? window)
    {
        lock (_gate)
        {
            long now = time.GetTimestamp();
            Keep(now);
            if (window is null)
            {
                return reading;
            }

            if (_last.TryGetValue(window, out (PageReading Whole, PageReading Recent) last) && ReferenceEquals(last.Whole, reading))
            {
                return last.Recent;
            }

            Moment start = StartOf(window, now);
            PageReading recent = reading with
            {
                Recent = window,
                RecentTime = time.GetElapsedTime(start.Timestamp, now),
                All = [.. reading.All.Select(row => Since(row, start))],
            };
            _last[window] = (reading, recent);
            return recent;
        }
    }

    /// <summary>Returns the histograms of a row for its plots. They cover the window, or, for a null window or a registered histogram,
    /// the time since the start.</summary>
    /// <exception cref="ObjectDisposedException">A histogram is disposed.</exception>
    public IReadOnlyList<ReadOnlyHdrHistogram> HistogramsOf(PageRow row, RecentWindow? window)
    {
        if (window is null || row.Measured is not { } measured)
        {
            return [.. row.Registrations.Select(registration => registration.Histogram.GetSnapshot())];
        }

        lock (_gate)
        {
            long now = time.GetTimestamp();
            Keep(now);
            State? state = StartOf(window, now).States.GetValueOrDefault(row);
            return [.. from fact in RunFacts.Recorded
                       where fact.IsPlotted
                       select Since(measured.HistogramOf(fact.Fact)!, state, fact.Fact)];
        }
    }

    private void Keep(long now)
    {
        if (_moments.Count > 0 && time.GetElapsedTime(_moments[^1].Timestamp, now) < RecentWindow.Minute.Step)
        {
            return;
        }

        Dictionary<PageRow, State> previous = _moments.Count > 0 ? _moments[^1].States : [];
        _moments.Add(new(now, rows.All.Where(row => row.Measured is not null).ToDictionary(
            row => row, row => StateOf(row.Measured!, previous.GetValueOrDefault(row)))));
        for (int i = _moments.Count - 2; i >= 0; i--)
        {
            TimeSpan age = time.GetElapsedTime(_moments[i].Timestamp, now);
            bool isDense = i > 0
                && time.GetElapsedTime(_moments[i - 1].Timestamp, _moments[i + 1].Timestamp) <= RecentWindow.TenMinutes.Step;
            if (age > RecentWindow.TenMinutes.MaxStartAge || (age > RecentWindow.Minute.MaxStartAge && isDense))
            {
                _moments.RemoveAt(i);
            }
        }
    }

    private static State StateOf(Row row, State? previous)
    {
        // Read before the histograms, so that a run that ends in between changes the count of the next state.
        InterlockedHdrHistogram<uint>?[] histograms = [.. RunFacts.Recorded.Select(fact => row.HistogramOf(fact.Fact))];
        long count = histograms.Sum(histogram => (long)(histogram?.TotalCount ?? 0));
        LatencySums? latency = row.Latency?.Read(); // a run is added to it after its end, when the count no longer changes
        return previous is not null && previous.Count == count && previous.Latency?.Count == latency?.Count ? previous : new(
            count,
            [.. RunFacts.Recorded.Select(fact => row.SumOf(fact.Fact))],
            [.. histograms.Select(histogram =>
                histogram is null or { TotalCount: 0 } ? null : HdrHistogramEncoding.EncodeCompressed(histogram))],
            latency);
    }

    /// <summary>Returns the newest moment that is at least as old as the window is long, or else the oldest moment within the
    /// window.</summary>
    private Moment StartOf(RecentWindow window, long now)
    {
        List<Moment> possible = _moments.FindAll(moment => time.GetElapsedTime(moment.Timestamp, now) <= window.MaxStartAge);
        return possible.FindLast(moment => time.GetElapsedTime(moment.Timestamp, now) >= window.Length) ?? possible[0];
    }

    private RowReading Since(RowReading reading, Moment start)
    {
        if (reading.Row.Measured is not { } row)
        {
            return reading;
        }

        State? state = start.States.GetValueOrDefault(reading.Row);
        return reading with
        {
            Latency = reading.Latency?.Since(state?.Latency),
            Percentiles = [.. RunFacts.Recorded.Select(fact =>
            {
                double sum = row.SumOf(fact.Fact) - (state?.Sums[(int)fact.Fact] ?? 0);
                return row.ShownHistogramOf(fact) is { } histogram
                    ? Percentiles.FromSummary(Since(histogram, state, fact.Fact).GetSummary(_summary)) with { Sum = sum }
                    : null;
            })],
        };
    }

    private static PlainHdrHistogram<ulong> Since(HdrHistogram histogram, State? start, RunFact fact)
    {
        PlainHdrHistogram<ulong> since = HdrHistogram.Factory.WithLayoutOf(histogram).WithUInt64Storage().Create();
        since.Add(histogram);
        if (start?.Encoded[(int)fact] is { } encoded)
        {
            since.Subtract(HdrHistogramEncoding.Decode(encoded));
        }

        return since;
    }

    /// <summary>The states of the rows at a moment.</summary>
    private sealed record Moment(long Timestamp, Dictionary<PageRow, State> States);

    /// <summary>The state of a row: the number of recorded values, and the exact sums and the histograms by
    /// <see cref="RunFact"/>.</summary>
    private sealed record State(long Count, long[] Sums, byte[]?[] Encoded, LatencySums? Latency);
}
