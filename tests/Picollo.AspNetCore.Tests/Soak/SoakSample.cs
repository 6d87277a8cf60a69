using System.Globalization;
using System.Text;

namespace Picollo.AspNetCore.Tests.Soak;

/// <summary>What the process has at a moment: what must be flat, and what it has done.</summary>
/// <param name="Seconds">The time since the start of the load.</param>
/// <param name="Requests">Requests that have ended.</param>
/// <param name="Profiles">Profiles that were taken.</param>
/// <param name="Threads">Threads that were started.</param>
/// <param name="Heap">Bytes that live after a full collection, without large objects.</param>
/// <param name="Large">Bytes of large objects that live then: mostly arrays that <c>ArrayPool.Shared</c> keeps for each thread and processor, as
/// many as were needed at once, so that they follow how busy the machine is.</param>
/// <param name="Committed">Bytes that the collector has committed.</param>
/// <param name="Resident">RSS in bytes.</param>
/// <param name="Descriptors">Open files and sockets.</param>
/// <param name="LiveThreads">Threads that live.</param>
/// <param name="Mappings">Lines of /proc/self/maps.</param>
/// <param name="LogBytes">Bytes of the rolling logs.</param>
/// <param name="Processors">CPU time of the process since the sample before, per second.</param>
/// <param name="P50">Median duration of requests since the sample before, in milliseconds.</param>
/// <param name="P99">The 99th percentile.</param>
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

    /// <summary>The curves: name, value in the unit of the name, and the growth that is tolerated; null where only the picture shows it.</summary>
    /// <remarks>
    /// Whatever else varies only adds for a while: a profile that is taken, a scrape, threads of the pool on a busy machine. A leak also raises
    /// the smallest values. Large objects, and with them committed memory and RSS, follow
    /// how busy the machine is; 30 minutes on an overloaded one added 31, 99 and 130 MB without the limit of the pool's threads.
    /// </remarks>
    public static IReadOnlyList<(string Name, Func<SoakSample, double> Value, double? Tolerance)> Curves { get; } =
    [
        ("heap after a full collection, MB", sample => sample.Heap / Megabyte, 5),
        ("large objects then, MB", sample => sample.Large / Megabyte, 40),
        ("committed by the collector, MB", sample => sample.Committed / Megabyte, 100),
        ("RSS, MB", sample => sample.Resident / Megabyte, 120),
        ("descriptors", sample => sample.Descriptors, 8),
        ("threads", sample => sample.LiveThreads, 8),
        ("mappings", sample => sample.Mappings, 100),
        ("rolling logs, MB", sample => sample.LogBytes / Megabyte, 0.3),
        ("CPU of the process, processors", sample => sample.Processors, 0.4),
        ("p50 of requests, ms", sample => sample.P50, null),
        ("p99 of requests, ms", sample => sample.P99, null),
    ];
}

/// <summary>The samples of a run.</summary>
internal sealed class SoakSeries(IReadOnlyList<SoakSample> samples)
{
    private const string Bars = "▁▂▃▄▅▆▇█";
    private const int Columns = 60;

    /// <summary>From the second fifth to the last: when everything has started, and at the end.</summary>
    public IEnumerable<string> Growths() =>
        from curve in SoakSample.Curves
        where curve.Tolerance is not null
        let before = Level(curve.Value, 1)
        let after = Level(curve.Value, 4)
        where after - before > curve.Tolerance
        select string.Create(CultureInfo.InvariantCulture, $"{curve.Name}: from {before:0.##} to {after:0.##}, more than {curve.Tolerance} above");

    /// <summary>The same run with a leak.</summary>
    public SoakSeries With(Func<SoakSample, SoakSample> leak) => new([.. samples.Select(leak)]);

    public string ToCsv() => string.Concat(
        samples.Select(sample => string.Join(
            ',',
            new[] { sample.Seconds, sample.Requests, sample.Profiles, sample.Threads }.Concat(SoakSample.Curves.Select(curve => curve.Value(sample)))
                .Select(value => value.ToString("0.###", CultureInfo.InvariantCulture))) + "\n")
            .Prepend("seconds,requests,profiles,threads started," + string.Join(',', SoakSample.Curves.Select(curve => curve.Name.Replace(",", ""))) + "\n"));

    /// <summary>A table in Markdown with a line of bars for each curve, each between its smallest and largest value.</summary>
    public string ToTable()
    {
        StringBuilder text = new("| curve | start | 20 % | 100 % | min to max | over time |\n| --- | --: | --: | --: | --: | --- |\n");
        foreach (var (name, value, _) in SoakSample.Curves)
        {
            double[] all = Means(value);
            text.Append(
                CultureInfo.InvariantCulture,
                $"| {name} | {value(samples[0]):0.##} | {Level(value, 1):0.##} | {Level(value, 4):0.##} ")
                .Append(CultureInfo.InvariantCulture, $"| {samples.Min(value):0.##} to {samples.Max(value):0.##} | `{Sparkline(all)}` |\n");
        }

        return text.ToString();
    }

    /// <summary>Small pictures, one above the other, with a common time axis.</summary>
    public string ToSvg()
    {
        const double Width = 640, Left = 70, Row = 64, Height = 44;
        double end = samples[^1].Seconds;
        StringBuilder svg = new();
        svg.Append(CultureInfo.InvariantCulture, $"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {Width} {(Row * SoakSample.Curves.Count) + 24}\" ")
            .Append("font-family=\"system-ui,sans-serif\" font-size=\"12\" fill=\"#777\">\n");
        double top = 16;
        foreach (var (name, value, _) in SoakSample.Curves)
        {
            double largest = Math.Max(samples.Max(value), 1e-9);
            string path = string.Join('L', samples.Select(sample => string.Create(
                CultureInfo.InvariantCulture,
                $"{Left + (sample.Seconds / end * (Width - Left - 8)):0.#} {top + Height - (value(sample) / largest * Height):0.#}")));
            svg.Append(CultureInfo.InvariantCulture, $"<text x=\"{Left}\" y=\"{top - 3}\">{name}</text>")
                .Append(CultureInfo.InvariantCulture, $"<text x=\"{Left - 6}\" y=\"{top + 9}\" text-anchor=\"end\">{largest:0.##}</text>")
                .Append(CultureInfo.InvariantCulture, $"<text x=\"{Left - 6}\" y=\"{top + Height}\" text-anchor=\"end\">0</text>")
                .Append(CultureInfo.InvariantCulture, $"<path d=\"M{Left} {top + Height}H{Width - 8}\" stroke=\"#777\" stroke-opacity=\".4\"/>")
                .Append(CultureInfo.InvariantCulture, $"<path d=\"M{path}\" fill=\"none\" stroke=\"#2a7ae2\" stroke-width=\"1.2\"/>\n");
            top += Row;
        }

        return svg.Append(CultureInfo.InvariantCulture, $"<text x=\"{Width - 8}\" y=\"{top - 2}\" text-anchor=\"end\">{end:0} s</text></svg>\n").ToString();
    }

    internal static string Sparkline(double[] values)
    {
        double least = values.Min(), range = Math.Max(values.Max() - least, 1e-9);
        return string.Concat(values.Select(value => Bars[(int)Math.Min((value - least) / range * Bars.Length, Bars.Length - 1)]));
    }

    private double[] Means(Func<SoakSample, double> value)
    {
        int columns = Math.Min(Columns, samples.Count);
        return [.. Enumerable.Range(0, columns).Select(i =>
            samples.Take((samples.Count * i / columns)..(samples.Count * (i + 1) / columns)).Average(value))];
    }

    /// <summary>What a tenth of the values of a fifth are below.</summary>
    private double Level(Func<SoakSample, double> value, int fifth)
    {
        double[] all = [.. samples.Take((samples.Count * fifth / 5)..(samples.Count * (fifth + 1) / 5)).Select(value).Order()];
        return all[all.Length / 10];
    }
}
