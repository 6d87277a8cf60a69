using System.Text.RegularExpressions;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Export.Tests;

namespace Picollo.AspNetCore.Tests.OpenTelemetry;

/// <summary>Compares the exposition for Prometheus with the metrics that OpenTelemetry receivers get.</summary>
public sealed partial class ExpositionTests
{
    // These increase between the exposition and the export.
    private static readonly string[] MeasuredPrefixes = ["process_", "picollo_process_", "dotnet_"];

    [Fact]
    public async Task Each_series_of_the_exposition_is_exported_with_its_kind_and_value()
    {
        using CompleteReading complete = new(hasRuntime: true);
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        string[] lines = complete.WriteMetrics().Split('\n', StringSplitOptions.RemoveEmptyEntries);

        await complete.ExportAsync(receiver.Endpoint);

        Dictionary<string, double> expected = lines.Where(line => !line.StartsWith('#') && !line.Contains("_bucket{", StringComparison.Ordinal))
            .Where(IsAlwaysPresent)
            .ToDictionary(line => line[..line.LastIndexOf(' ')], line => double.Parse(line[(line.LastIndexOf(' ') + 1)..], CultureInfo.InvariantCulture));
        Dictionary<string, double> exported = receiver.Points.SelectMany(SeriesOf).Where(series => IsAlwaysPresent(series.Key))
            .GroupBy(series => series.Key, series => series.Value).ToDictionary(series => series.Key, series => series.Sum());
        exported.Keys.Should().BeEquivalentTo(expected.Keys).And.HaveCountGreaterThan(100);
        foreach ((string series, double value) in expected)
        {
            if (MeasuredPrefixes.Any(prefix => series.StartsWith(prefix, StringComparison.Ordinal)))
            {
                exported[series].Should().BeGreaterThanOrEqualTo(value, series);
            }
            else
            {
                exported[series].Should().BeApproximately(value, 1e-9, series);
            }
        }

        Dictionary<string, string> types = lines.Select(line => Type().Match(line)).Where(match => match.Success)
            .ToDictionary(match => match.Groups[1].Value, match => match.Groups[2].Value);
        receiver.Points.Where(point => IsAlwaysPresent(NameOf(point))).Should().OnlyContain(
            point => types[NameOf(point)] == (point.Kind == "up-down counter" ? "gauge" : point.Kind));
        receiver.Points.Select(point => point.Kind).Distinct().Should().BeEquivalentTo(["histogram", "counter", "up-down counter", "gauge"]);
        receiver.Points.Where(point => point.Metric == "process.cpu.time").Select(point => point.Attributes["cpu.mode"]).Should().Equal("user", "system");
    }

    // The histogram of pauses appears with the first collection.
    private static bool IsAlwaysPresent(string line) => !line.StartsWith("dotnet_gc_pause_duration_seconds", StringComparison.Ordinal);

    private static IEnumerable<(string Key, double Value)> SeriesOf(OtlpDataPoint point)
    {
        string[] labels = [.. point.Attributes.Where(label => label.Key != "cpu.mode")
            .Select(label => $"{label.Key.Replace('.', '_')}=\"{label.Value.Replace("int ", "", StringComparison.Ordinal)}\"").Order(StringComparer.Ordinal)];
        string braced = labels.Length == 0 ? "" : $"{{{string.Join(',', labels)}}}";
        return point.Kind == "histogram"
            ? [($"{NameOf(point)}_sum{braced}", point.Sum), ($"{NameOf(point)}_count{braced}", point.Count)]
            : [(NameOf(point) + braced, point.Sum)];
    }

    private static string NameOf(OtlpDataPoint point)
    {
        string unit = point.Unit switch
        {
            "s" => "_seconds",
            "By" => "_bytes",
            "" or ['{', .., '}'] => "",
            _ => throw new FormatException(point.Unit),
        };
        string name = point.Metric == "process.cpu.time" ? "process_cpu_seconds" : point.Metric.Replace('.', '_') + unit;
        return point.IsCounter ? name + "_total" : name;
    }

    [GeneratedRegex("^# TYPE (\\S+) (\\S+)$")]
    private static partial Regex Type();
}
