namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>Several runs of one measurement, interleaved with other measurements.</summary>
public sealed class Runs
{
    private readonly List<WrkReport> _reports = [];
    private readonly List<CpuLoad> _loads = [];

    public IReadOnlyList<WrkReport> Reports => _reports;

    public double RequestsPerSecond => _reports.Select(report => report.RequestsPerSecond).Median();

    public long Failed => _reports.Sum(report => report.Failed);

    /// <summary>The median of each percentile over the runs, and the maximum of all runs. <see langword="null"/> if no request was answered.</summary>
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

    /// <summary>The median of each value over the runs, or <see langword="null"/> if there are no runs.</summary>
    public CpuLoad? Load => _loads.Count == 0 ? null : new CpuLoad(
        _loads.Select(load => load.ServerCpus).Median(),
        _loads.Select(load => load.MachineCpus).Median(),
        _loads.All(load => load.Average is null) ? null : _loads.Select(load => load.Average).OfType<double>().Median());

    public void Add(WrkReport report, CpuLoad load)
    {
        _reports.Add(report);
        _loads.Add(load);
    }

    /// <summary>Returns the median of the ratios of paired runs. The runs of a pair directly follow each other, so that changes of the machine
    /// affect both. Returns NaN if no request was answered.</summary>
    public double RatioTo(Runs other, Func<Latencies, double> value) => _reports.Zip(other._reports)
        .Select(pair => pair is ({ Latency: { } mine }, { Latency: { } theirs }) ? value(mine) / value(theirs) : double.NaN)
        .Median();
}

/// <summary>Statistics of measurements.</summary>
internal static class Statistics
{
    public static double Median(this IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return sorted.Length == 0 ? double.NaN : (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }
}
