using System.Text;

namespace Picollo.AspNetCore.Tests.Soak;

/// <summary>The state of the process at a moment: resources that must not grow, and the numbers of operations.</summary>
/// <param name="Seconds">The time since the start of the load.</param>
/// <param name="Requests">The number of completed requests.</param>
/// <param name="Profiles">The number of profiles taken.</param>
/// <param name="Threads">The number of threads started.</param>
/// <param name="Heap">The live bytes after a full collection, without large objects.</param>
/// <param name="Large">The live bytes of large objects after that collection: mostly arrays that <c>ArrayPool.Shared</c> keeps for each thread and processor.
/// Their number depends on the maximum in use at the same time, and therefore on the load of the machine.</param>
/// <param name="Committed">The bytes that the garbage collector has committed.</param>
/// <param name="Resident">The RSS, in bytes.</param>
/// <param name="Descriptors">The number of open files and sockets.</param>
/// <param name="LiveThreads">The number of live threads.</param>
/// <param name="Mappings">The number of lines in /proc/self/maps.</param>
/// <param name="LogBytes">The size of the rolling logs, in bytes.</param>
/// <param name="Processors">The CPU time of the process per second since the previous sample.</param>
/// <param name="P50">The median duration of requests since the previous sample, in milliseconds.</param>
/// <param name="P99">The 99th percentile of that duration, in milliseconds.</param>
internal sealed record SoakSample(
    double Seconds,
    long Requests,
    long Profiles,
    long Threads,
    double Heap,
    double Large,
    double Committed,
    double Resident,
    double Descriptors,
    double LiveThreads,
    double Mappings,
    double LogBytes,
    double Processors,
    double P50,
    double P99)
{
    private const double Megabyte = 1e6;

    /// <summary>The curves: the name, the value in the unit of the name, and the tolerated growth; null if the curve is only drawn.</summary>
    /// <remarks>
    /// Growth compares 10th percentiles, because a leak also raises the smallest values. Other variations add memory only temporarily: a profile
    /// that is being taken, a scrape, threads of the pool on a busy machine. Large objects, and therefore committed memory and RSS, depend on
    /// the load of the machine. Without the limit of the pool's threads, they grew by 31, 99 and 130 MB in 30 minutes on an overloaded machine.
    /// </remarks>
    public static IReadOnlyList<(string Name, Func<SoakSample, double> Value, double? Tolerance)> Curves { get; } =
    [
        ("heap without large objects, MB", sample => sample.Heap / Megabyte, 5),
        ("large objects, MB", sample => sample.Large / Megabyte, 40),
        ("committed by the garbage collector, MB", sample => sample.Committed / Megabyte, 100),
        ("RSS, MB", sample => sample.Resident / Megabyte, 120),
        ("descriptors", sample => sample.Descriptors, 8),
        ("threads", sample => sample.LiveThreads, 8),
        ("mappings", sample => sample.Mappings, 100),
        ("rolling logs, MB", sample => sample.LogBytes / Megabyte, 0.3),
        ("CPU usage of the process, processors", sample => sample.Processors, 0.4),
        ("p50 of requests, ms", sample => sample.P50, null),
        ("p99 of requests, ms", sample => sample.P99, null),
    ];
}

/// <summary>The samples of a run.</summary>
internal sealed class SoakSeries(IReadOnlyList<SoakSample> samples)
{
    /// <summary>Describes each excessive growth from the second fifth of the run, when everything has started, to the last fifth.</summary>
    public IEnumerable<string> DescribeGrowth() =>
        from curve in SoakSample.Curves
        where curve.Tolerance is not null
        let before = Level(curve.Value, 1)
        let after = Level(curve.Value, 4)
        where after - before > curve.Tolerance
        select string.Create(CultureInfo.InvariantCulture, $"{curve.Name}: grew from {before:0.##} to {after:0.##}, by more than {curve.Tolerance}");

    /// <summary>Returns the samples with an added leak.</summary>
    public SoakSeries With(Func<SoakSample, SoakSample> leak) => new([.. samples.Select(leak)]);

    public string ToCsv() => string.Concat(
        samples.Select(sample => string.Join(
            ',',
            new[] { sample.Seconds, sample.Requests, sample.Profiles, sample.Threads }.Concat(SoakSample.Curves.Select(curve => curve.Value(sample)))
                .Select(value => value.ToString("0.###", CultureInfo.InvariantCulture))) + "\n")
            .Prepend("seconds,requests,profiles,threads started," + string.Join(',', SoakSample.Curves.Select(curve => curve.Name.Replace(",", ""))) + "\n"));

    /// <summary>Returns a Markdown table with a row for each curve.</summary>
    public string ToTable()
    {
        StringBuilder text = new(
            "| value | first sample | p10 from 20 % to 40 % | p10 from 80 % to 100 % | min to max |\n| --- | --: | --: | --: | --: |\n");
        foreach (var (name, value, _) in SoakSample.Curves)
        {
            text.Append(
                CultureInfo.InvariantCulture,
                $"| {name} | {value(samples[0]):0.##} | {Level(value, 1):0.##} | {Level(value, 4):0.##} ")
                .Append(CultureInfo.InvariantCulture, $"| {samples.Min(value):0.##} to {samples.Max(value):0.##} |\n");
        }

        return text.ToString();
    }

    /// <summary>Returns the 10th percentile of the values in a fifth of the run.</summary>
    private double Level(Func<SoakSample, double> value, int fifth)
    {
        double[] all = [.. samples.Take((samples.Count * fifth / 5)..(samples.Count * (fifth + 1) / 5)).Select(value).Order()];
        return all[all.Length / 10];
    }
}
