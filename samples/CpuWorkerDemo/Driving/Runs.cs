namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>The same measured several times, in turn with others.</summary>
public sealed class Runs
{
    private readonly List<WrkReport> _reports = [];
    private readonly List<CpuLoad> _loads = [];

    public IReadOnlyList<WrkReport> Reports => _reports;

    public double RequestsPerSecond => _reports.Select(report => report.RequestsPerSecond).Median();

    public long Failed => _reports.Sum(report => report.Failed);

    /// <summary>The median run's percentiles, each by itself, and the maximum of all. Null where nothing was answered.</summary>
    public Latencies? Latency
    {
        get
        {
            Latencies[] answered = [.. _reports.Select(report => report.Latency).OfType<Latencies>()];
            if (answered.Length == 0)
            {
                return null;
            }

            Latencies medians = Latencies.Of([.. Latencies.Percentiles.Select((_, i) => answered.Select(one => one.Values[i]).Median())]);
            return medians with { Max = answered.Max(one => one.Max) };
        }
    }

    /// <summary>The medians of the runs, each by itself; null if there were no runs.</summary>
    public CpuLoad? Load => _loads.Count == 0 ? null : new CpuLoad(
        _loads.Select(load => load.ServerCpus).Median(),
        _loads.Select(load => load.MachineCpus).Median(),
        _loads.All(load => load.Average is null) ? null : _loads.Select(load => load.Average).OfType<double>().Median());

    public void Add(WrkReport report, CpuLoad load)
    {
        _reports.Add(report);
        _loads.Add(load);
    }

    /// <summary>The median of the ratios, each of two runs that were made soon one after the other: what changes on the machine changes
    /// both. Not a number where nothing was answered.</summary>
    public double RatioTo(Runs other, Func<Latencies, double> value) => _reports.Zip(other._reports)
        .Select(pair => pair is ({ Latency: { } mine }, { Latency: { } theirs }) ? value(mine) / value(theirs) : double.NaN)
        .Median();
}

/// <summary>The one statistic that is needed.</summary>
internal static class Statistics
{
    public static double Median(this IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return sorted.Length == 0 ? double.NaN : (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }
}
