using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Usage;

/// <summary>
/// Reads all subjects. Nothing runs while nobody looks: a rate is over the time between two looks, ten seconds at the most while
/// somebody looks on, and since the start or the last look otherwise. Thread-safe.
/// </summary>
internal sealed class UsageReader
{
    /// <summary>The longest window of somebody who looks on.</summary>
    public static readonly TimeSpan LongestWindow = TimeSpan.FromSeconds(10);

    /// <summary>A shorter one would tell a rate from too few requests, where an older look can be had.</summary>
    public static readonly TimeSpan ShortestWindow = TimeSpan.FromMilliseconds(900);

    // Between two looks that are kept; with the above it bounds their number.
    private static readonly TimeSpan KeptApart = TimeSpan.FromMilliseconds(500);

    private readonly Lock _gate = new();
    private readonly HdrHistogramSummary _summary = new();
    private readonly Subjects _subjects;
    private readonly TimeProvider _time;
    private readonly List<Look> _looks = []; // the oldest first; never empty after the constructor
    private UsageReading? _last;

    public UsageReader(Subjects subjects, TimeProvider time)
    {
        _subjects = subjects;
        _time = time;
        _looks.Add(LookOf(ReadAll(), time.GetTimestamp(), TryGetProcessTime()));
    }

    /// <summary>How many looks are kept, for the windows of later ones.</summary>
    internal int Looks => _looks.Count;

    /// <summary>Reads everything, or gives a reading of another viewer that is at most so old.</summary>
    public UsageReading Read(TimeSpan maxAge = default)
    {
        lock (_gate)
        {
            long now = _time.GetTimestamp();
            if (_last is null || maxAge == default || _time.GetElapsedTime(_looks[^1].Timestamp, now) > maxAge)
            {
                _last = ReadNow(now);
            }

            return _last;
        }
    }

    private UsageReading ReadNow(long now)
    {
        IReadOnlyList<SubjectUsage> all = ReadAll();
        Look look = LookOf(all, now, TryGetProcessTime());
        Look before = BaseOf(now);
        TimeSpan window = _time.GetElapsedTime(before.Timestamp, now);
        Keep(look);

        // Two looks within a tick of the clock: nothing can be said of rates.
        double seconds = window > TimeSpan.Zero ? window.TotalSeconds : double.PositiveInfinity;
        double processorSeconds = seconds * Environment.ProcessorCount;
        return new UsageReading
        {
            Time = _time.GetUtcNow(),
            Window = window,
            Processors = Environment.ProcessorCount,
            ProcessShare = (look.ProcessNanoseconds - before.ProcessNanoseconds) / 1e9 / processorSeconds,
            All =
            [
                .. all.Select(usage =>
                {
                    (ulong count, double sum) = before.Counted.GetValueOrDefault(usage.Subject);
                    bool wasReset = count > usage.Count;
                    return usage with
                    {
                        Rate = (usage.Count - (wasReset ? 0 : count)) / seconds,
                        MachineShare = usage.Subject.IsRoute ? (usage.Sum - (wasReset ? 0 : sum)) / 1e9 / processorSeconds : 0,
                    };
                }),
            ],
        };
    }

    private List<SubjectUsage> ReadAll()
    {
        List<SubjectUsage> all = [];
        foreach (Subject subject in _subjects.All)
        {
            try
            {
                all.Add(ReadOne(subject));
            }
            catch (ObjectDisposedException)
            {
                // Registered still, and of no use any more to whoever did that; the others are to be seen.
            }
        }

        return all;
    }

    private SubjectUsage ReadOne(Subject subject)
    {
        Quantiles[] quantiles = new Quantiles[subject.Registrations.Count];
        ulong count = 0;
        double sum = 0;
        for (int i = 0; i < quantiles.Length; i++)
        {
            subject.Registrations[i].Histogram.GetSummary(_summary);
            quantiles[i] = new(_summary.P50.Value, _summary.P90.Value, _summary.P99.Value, _summary.P999.Value, _summary.P100.Value)
            {
                HasValues = _summary.TotalCount > 0,
                OutOfRange = _summary.OverflowCount,
            };
            if (i == 0)
            {
                (count, sum) = (_summary.TotalCount + _summary.OverflowCount, _summary.Sum);
            }
        }

        CpuUsage split = subject.Route?.Split ?? default;
        return new SubjectUsage(subject, count, 0, 0, quantiles)
        {
            Sum = sum,
            KernelShare = split.TotalNanoseconds > 0 ? (double)split.KernelNanoseconds / split.TotalNanoseconds : null,
        };
    }

    /// <summary>The look that a window to now begins with.</summary>
    private Look BaseOf(long now)
    {
        Look? recent = _looks.Find(look => _time.GetElapsedTime(look.Timestamp, now) <= LongestWindow);
        return recent is not null && _time.GetElapsedTime(recent.Timestamp, now) >= ShortestWindow
            ? recent
            : _looks.FindLast(look => _time.GetElapsedTime(look.Timestamp, now) >= ShortestWindow) ?? _looks[0];
    }

    private void Keep(Look look)
    {
        // The newest of those that are too old stays: the next window may have to begin with it.
        int tooOld = _looks.FindLastIndex(one => _time.GetElapsedTime(one.Timestamp, look.Timestamp) > LongestWindow);
        _looks.RemoveRange(0, Math.Max(tooOld, 0));
        if (_looks.Count > 1 && _time.GetElapsedTime(_looks[^2].Timestamp, look.Timestamp) < KeptApart)
        {
            _looks.RemoveAt(_looks.Count - 1);
        }

        _looks.Add(look);
    }

    private static Look LookOf(IReadOnlyList<SubjectUsage> all, long now, long? processNanoseconds) =>
        new(now, processNanoseconds, all.ToDictionary(usage => usage.Subject, usage => (usage.Count, usage.Sum)));

    private static long? TryGetProcessTime()
    {
        try
        {
            return CpuUsageReader.GetProcessTime();
        }
        catch (MeasurementUnavailableException)
        {
            return null;
        }
    }

    private sealed record Look(long Timestamp, long? ProcessNanoseconds, Dictionary<Subject, (ulong Count, double Sum)> Counted);
}
