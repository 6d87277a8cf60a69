using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Meters;
using Picollo.AspNetCore.Profiles;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Reading;

/// <summary>Reads all rows on request. Rates cover the time since an earlier reading: up to ten seconds if readings are frequent,
/// otherwise the time since the last reading or the start. Thread-safe.</summary>
internal sealed class PageReader
{
    /// <summary>The longest window if readings are frequent.</summary>
    public static readonly TimeSpan LongestWindow = TimeSpan.FromSeconds(10);

    /// <summary>The shortest window, if there is an older reading. A shorter one would compute a rate from too few requests.</summary>
    public static readonly TimeSpan ShortestWindow = TimeSpan.FromMilliseconds(900);

    // The minimum time between two kept readings. Together with the longest window, it limits their number.
    private static readonly TimeSpan KeepInterval = TimeSpan.FromMilliseconds(500);

    private readonly Lock _gate = new();
    private readonly HdrHistogramSummary _summary = new();
    private readonly PageRows _rows;
    private readonly RunList _running;
    private readonly ProcessAccount _account;
    private readonly RuntimeService _runtime;
    private readonly MeterBridge _meters;
    private readonly CpuProfiles _profiles;
    private readonly RequestReporter _reporter;
    private readonly TimeProvider _time;
    private readonly List<Sample> _kept = []; // oldest first; never empty after the constructor
    private PageReading? _last;

    public PageReader(
        PageRows rows, RunList running, ProcessAccount account, RuntimeService runtime, MeterBridge meters,
        CpuProfiles profiles, RequestReporter reporter, TimeProvider time)
    {
        (_rows, _running, _account, _runtime, _meters, _profiles, _reporter, _time) =
            (rows, running, account, runtime, meters, profiles, reporter, time);
        _running.Read();
        _kept.Add(SampleOf(ReadAll(), _account.Read(), _runtime.Totals, time.GetTimestamp()));
    }

    /// <summary>The number of readings that are kept for later windows.</summary>
    internal int KeptReadings => _kept.Count;

    /// <summary>Reads everything, or returns the last reading if it is at most <paramref name="maxAge"/> old.</summary>
    public PageReading Read(TimeSpan maxAge = default)
    {
        lock (_gate)
        {
            long now = _time.GetTimestamp();
            bool isRecent = maxAge > TimeSpan.Zero && AgeOf(_kept[^1], now) <= maxAge;
            return isRecent && _last is not null ? _last : _last = ReadNow(now);
        }
    }

    private PageReading ReadNow(long now)
    {
        // Read first, because this adds the CPU time of runs that have not ended to their rows.
        IReadOnlyList<RunReading> running = _running.Read();
        IReadOnlyList<RowReading> all = ReadAll();
        IReadOnlyList<CpuPart> parts = _account.Read();
        Sample sample = SampleOf(all, parts, _runtime.Totals, now);
        Sample before = WindowStartOf(now);
        Keep(sample);

        // If two readings are within one tick of the clock, rates are 0.
        TimeSpan window = AgeOf(before, now);
        double seconds = window > TimeSpan.Zero ? window.TotalSeconds : double.PositiveInfinity;
        double processorSeconds = seconds * Environment.ProcessorCount;
        return new PageReading
        {
            Time = _time.GetUtcNow(),
            Window = window,
            Processors = Environment.ProcessorCount,
            ProcessShare = sample.ProcessNanoseconds is { } process && before.ProcessNanoseconds is { } old ? ShareOf(process - old) : null,
            MaxRoutes = _rows.Routes.Capacity,
            IsFull = _rows.Routes.IsFull,
            Parts = [.. parts.Select((part, i) => part with { MachineShare = ShareOf(part.Nanoseconds - PartBefore(i)) })],
            Runtime = sample.Runtime is { } totals ? _runtime.Read(totals, before.Runtime ?? totals, seconds) : null,
            Profiles = _profiles.OverBudget.CountBy(flow => flow.Label).ToDictionary(),
            CanMeasureWaits = _profiles.IsEnabled,
            Waits = _profiles.AllWaits is [var latest, ..] ? latest.Waits : null,
            Running = running,
            Slowest = _rows.Routes.ReadSlowest(),
            OverLatencyBudget = _reporter.OverLatencyBudget,
            MissingStates = all.Any(row => row.Latency is not null) ? MissingStates() : null,
            Meters = _meters.Histograms,
            MaxSeries = _meters.MaxSeries,
            All = [.. all.Select(reading => WithRates(reading, before.Counted.GetValueOrDefault(reading.Row)))],
        };

        RowReading WithRates(RowReading reading, (ulong Count, double Sum) old)
        {
            (ulong count, double sum) = old.Count > reading.Count ? default : old; // the histogram was reset
            return reading with
            {
                Rate = (reading.Count - count) / seconds,
                MachineShare = reading.Row.Measured is null ? 0 : ShareOf(reading.Sum - sum),
            };
        }

        double ShareOf(double nanoseconds) => nanoseconds / 1e9 / processorSeconds;

        long PartBefore(int i) => i < before.Parts.Count ? before.Parts[i].Nanoseconds : 0;
    }

    private string? MissingStates() =>
        _runtime.Totals is null ? "The waits for a CPU, for locks and for the thread pool are not measured separately: set MeasureRuntime."
        : LatencySources.RunQueueFailure is { } reason ? $"The wait for a CPU is not measured separately. {reason}"
        : null;

    private List<RowReading> ReadAll()
    {
        List<RowReading> all = [];
        foreach (PageRow row in _rows.All)
        {
            try
            {
                all.Add(ReadOne(row));
            }
            catch (ObjectDisposedException)
            {
                // A histogram that is still registered was disposed. The others are still shown.
            }
        }

        return all;
    }

    private RowReading ReadOne(PageRow row)
    {
        if (row.Measured is not { } measured)
        {
            HdrHistogramSummary summary = row.Registrations[0].Histogram.GetSummary(_summary);
            return new RowReading(row, summary.TotalCount + summary.OverflowCount, [Percentiles.FromSummary(summary)])
            {
                Sum = summary.Sum,
            };
        }

        Percentiles?[] percentiles = [.. RunFacts.Recorded.Select(fact =>
            measured.ShownHistogramOf(fact) is { } histogram
                ? Percentiles.FromSummary(histogram.GetSummary(_summary)) with { Sum = measured.SumOf(fact.Fact) } // exact
                : null)];
        CpuUsage split = measured.Split;
        ulong count = row.Route is { } route ? (ulong)route.Responses : percentiles[(int)RunFact.CpuTime]!.Count;
        return new RowReading(row, count, percentiles)
        {
            Sum = measured.TotalCpuNanoseconds,
            AfterEndNanoseconds = measured.AfterEndNanoseconds,
            Latency = measured.Latency?.Read(),
            KernelShare = split.TotalNanoseconds > 0 ? (double)split.KernelNanoseconds / split.TotalNanoseconds : null,
        };
    }

    /// <summary>Returns the reading at which the current window starts.</summary>
    private Sample WindowStartOf(long now) =>
        _kept.Find(sample => AgeOf(sample, now) is var age && age >= ShortestWindow && age <= LongestWindow)
        ?? _kept.FindLast(sample => AgeOf(sample, now) >= ShortestWindow)
        ?? _kept[0];

    private void Keep(Sample sample)
    {
        // The newest of the readings that are too old is kept, because the next window may start at it.
        int tooOld = _kept.FindLastIndex(kept => AgeOf(kept, sample.Timestamp) > LongestWindow);
        _kept.RemoveRange(0, Math.Max(tooOld, 0));
        if (_kept.Count > 1 && AgeOf(_kept[^2], sample.Timestamp) < KeepInterval)
        {
            _kept.RemoveAt(_kept.Count - 1);
        }

        _kept.Add(sample);
    }

    private TimeSpan AgeOf(Sample sample, long now) => _time.GetElapsedTime(sample.Timestamp, now);

    private static Sample SampleOf(IReadOnlyList<RowReading> all, IReadOnlyList<CpuPart> parts, RuntimeTotals? runtime, long now) =>
        new(now, parts, runtime, all.ToDictionary(reading => reading.Row, reading => (reading.Count, reading.Sum)));

    private sealed record Sample(
        long Timestamp, IReadOnlyList<CpuPart> Parts, RuntimeTotals? Runtime, Dictionary<PageRow, (ulong Count, double Sum)> Counted)
    {
        /// <summary>The CPU time of the process; null if it is unavailable.</summary>
        public long? ProcessNanoseconds => Parts.Count == 0 ? null : Parts.Sum(part => part.Nanoseconds);
    }
}
