using Picollo.AspNetCore.Work;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Usage;

/// <summary>A window of the page's percentiles and plots that ends now.</summary>
/// <param name="Id">Its name in addresses.</param>
/// <param name="Title">Its name on the page.</param>
/// <param name="Length">The length once the page has been viewed for so long.</param>
/// <param name="Step">The distance of the moments that it can start at.</param>
internal sealed record RecentWindow(string Id, string Title, TimeSpan Length, TimeSpan Step)
{
    public static RecentWindow Minute { get; } = new("1m", "last minute", TimeSpan.FromMinutes(1), TimeSpan.FromSeconds(10));

    public static RecentWindow TenMinutes { get; } = new("10m", "last 10 minutes", TimeSpan.FromMinutes(10), TimeSpan.FromMinutes(1));

    public static IReadOnlyList<RecentWindow> All { get; } = [TenMinutes, Minute];

    /// <summary>The window with an ID; null, which is the time since the start, for any other text.</summary>
    public static RecentWindow? Find(string id) => All.FirstOrDefault(window => window.Id == id);

    /// <summary>The largest age of a moment that the window can start at.</summary>
    public TimeSpan Longest => Length + Step;
}

/// <summary>Percentiles of the last minutes: without the first requests, which the JIT compiler made slow. What routes and named work had
/// counted is kept for moments of the last ten minutes, while the page is viewed. Thread-safe.</summary>
/// <remarks>
/// <para>A moment is kept every 10 s for a minute and every minute for ten: 19 at most. Of a row it has the compressed encoding of each
/// histogram, of which moments share what has not changed. With 256 routes that is 3 MB if the requests of each spread over 100 buckets,
/// and less than 70 MB whatever they do (measured by <c>RecentUsageTests</c>). Nothing runs and nothing more is kept while no one views the
/// page.</para>
/// </remarks>
internal sealed class RecentUsage(Subjects subjects, TimeProvider time)
{
    private readonly Lock _gate = new();
    private readonly HdrHistogramSummary _summary = new();
    private readonly List<Moment> _moments = []; // the oldest first
    private readonly Dictionary<RecentWindow, (UsageReading Of, UsageReading Recent)> _last = [];

    /// <summary>The number of moments that are kept.</summary>
    internal int Moments => _moments.Count;

    /// <summary>The bytes of all encodings that are kept.</summary>
    internal long KeptBytes =>
        _moments.SelectMany(moment => moment.States.Values).Distinct().Sum(state => state.Encoded.Sum(one => one.Length));

    /// <summary>The same reading with percentiles of a window. Called for each view of the page, also without a window: it keeps what later
    /// windows start with.</summary>
    public UsageReading Of(UsageReading reading, RecentWindow? window)
    {
        lock (_gate)
        {
            long now = time.GetTimestamp();
            Keep(now);
            if (window is null)
            {
                return reading;
            }

            if (_last.TryGetValue(window, out (UsageReading Of, UsageReading Recent) last) && ReferenceEquals(last.Of, reading))
            {
                return last.Recent;
            }

            Moment start = StartOf(window, now);
            UsageReading recent = reading with
            {
                Recent = window,
                RecentTime = time.GetElapsedTime(start.Timestamp, now),
                All = [.. reading.All.Select(usage => Since(usage, start))],
            };
            _last[window] = (reading, recent);
            return recent;
        }
    }

    /// <summary>The histograms of a subject as plots show them: of the window, or since the start for null and for a registered
    /// histogram.</summary>
    /// <exception cref="ObjectDisposedException">A histogram is disposed.</exception>
    public IReadOnlyList<ReadOnlyHdrHistogram> HistogramsOf(Subject subject, RecentWindow? window)
    {
        if (window is null || subject.Work is not { } work)
        {
            return [.. subject.Registrations.Select(registration => registration.Histogram.GetSnapshot())];
        }

        lock (_gate)
        {
            long now = time.GetTimestamp();
            Keep(now);
            State? state = StartOf(window, now).States.GetValueOrDefault(subject);
            return [Since(work.Cpu, state, 0), Since(work.Wall, state, 1)];
        }
    }

    private void Keep(long now)
    {
        if (_moments.Count > 0 && time.GetElapsedTime(_moments[^1].Timestamp, now) < RecentWindow.Minute.Step)
        {
            return;
        }

        Dictionary<Subject, State> previous = _moments.Count > 0 ? _moments[^1].States : [];
        _moments.Add(new(now, subjects.All.Where(subject => subject.Work is not null).ToDictionary(
            subject => subject, subject => StateOf(subject.Work!, previous.GetValueOrDefault(subject)))));
        for (int i = _moments.Count - 2; i >= 0; i--)
        {
            TimeSpan age = time.GetElapsedTime(_moments[i].Timestamp, now);
            bool isDense = i > 0
                && time.GetElapsedTime(_moments[i - 1].Timestamp, _moments[i + 1].Timestamp) <= RecentWindow.TenMinutes.Step;
            if (age > RecentWindow.TenMinutes.Longest || (age > RecentWindow.Minute.Longest && isDense))
            {
                _moments.RemoveAt(i);
            }
        }
    }

    private static State StateOf(WorkUsage work, State? previous)
    {
        // Read before the histograms: a run that ends in between is in the next state at the latest.
        ulong count = work.Wall.TotalCount;
        return previous is not null && previous.Count == count
            ? previous
            : new(count, SumsOf(work), [.. HistogramsOf(work).Select(histogram => HdrHistogramEncoding.EncodeCompressed(histogram))]);
    }

    // Both as State has them.
    private static long[] SumsOf(WorkUsage work) => [work.CpuNanoseconds, work.WallNanoseconds, work.AllocatedBytes];

    private static IReadOnlyList<HdrHistogram> HistogramsOf(WorkUsage work) =>
        work.Allocated is { } allocated ? [work.Cpu, work.Wall, allocated] : [work.Cpu, work.Wall];

    /// <summary>The newest moment that is as old as the window is long; else the oldest within it.</summary>
    private Moment StartOf(RecentWindow window, long now)
    {
        List<Moment> possible = _moments.FindAll(moment => time.GetElapsedTime(moment.Timestamp, now) <= window.Longest);
        return possible.FindLast(moment => time.GetElapsedTime(moment.Timestamp, now) >= window.Length) ?? possible[0];
    }

    private SubjectUsage Since(SubjectUsage usage, Moment start)
    {
        if (usage.Subject.Work is not { } work)
        {
            return usage;
        }

        State? state = start.States.GetValueOrDefault(usage.Subject);
        long[] sums = SumsOf(work);
        Quantiles[] all = [.. HistogramsOf(work).Select((histogram, i) =>
            Quantiles.Of(Since(histogram, state, i).GetSummary(_summary)) with { Sum = sums[i] - (state?.Sums[i] ?? 0) })];
        return usage with { Quantiles = all[..2], Allocated = all.Length > 2 ? all[2] : null };
    }

    private static PlainHdrHistogram<ulong> Since(HdrHistogram histogram, State? start, int i)
    {
        PlainHdrHistogram<ulong> since = HdrHistogram.Factory.WithLayoutOf(histogram).WithUInt64Storage().Create();
        since.Add(histogram);
        if (start is not null)
        {
            since.Subtract(HdrHistogramEncoding.Decode(start.Encoded[i]));
        }

        return since;
    }

    /// <summary>What the rows had counted at a moment.</summary>
    private sealed record Moment(long Timestamp, Dictionary<Subject, State> States);

    /// <summary>What a row had counted: the number of runs, and of CPU time, wall time and allocated bytes the exact sums and the
    /// histograms.</summary>
    private sealed record State(ulong Count, long[] Sums, byte[][] Encoded);
}
