using System.Buffers;
using System.Diagnostics;
using System.Runtime;
using System.Text.RegularExpressions;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Export;
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
        receiver.Points.Where(point => point.Kind == "up-down counter").Select(point => point.Metric).Distinct().Should().BeEquivalentTo(
            ["http.server.active_requests", "picollo.cpu_workers", "picollo.cpu_workers.running_tasks", "picollo.cpu_workers.waiting_tasks"]);
        OtlpDataPoint[] modes = [.. receiver.Points.Where(point => point.Metric == "process.cpu.time")];
        modes.Select(point => point.Attributes["cpu.mode"]).Should().Equal("user", "system");
        CpuUsageReader.TryGetByProcess(Environment.ProcessId, out CpuUsage now, out _).Should().BeTrue();
        modes[1].Sum.Should().BeInRange(0.001, now.KernelNanoseconds / 1e9);
    }

    [Fact]
    public void The_counters_of_the_exposition_start_with_the_process()
    {
        using CompleteReading complete = new(hasRuntime: true);
        ArrayBufferWriter<byte> output = new();

        complete.WriteCounters(output, PrometheusFormat.Protobuf);

        DateTimeOffset start = ProcessAccount.Started;
        start.Should().BeCloseTo(Process.GetCurrentProcess().StartTime.ToUniversalTime(), TimeSpan.FromSeconds(1));
        ILookup<bool, ProtobufMessage> series = ProtobufMessage.Delimited(output.WrittenSpan)
            .SelectMany(family => family.Messages(4).Select(metric => (IsCounter: family.Number(3) == 0, Metric: metric)))
            .ToLookup(one => one.IsCounter, one => one.Metric);
        series[true].Select(metric => metric.Message(3).Message(3)).Should().HaveCountGreaterThan(30).And.OnlyContain(time =>
            time.Number(1) == (ulong)start.ToUnixTimeSeconds() && time.Number(2) == (ulong)(start.Ticks % TimeSpan.TicksPerSecond * 100));
        series[false].Should().NotBeEmpty().And.OnlyContain(metric => !metric.Message(2).Has(3));
    }

    [Fact]
    public async Task The_totals_of_the_runtime_are_those_of_its_own_functions()
    {
        (string Metric, Func<double> Read)[] totals =
        [
            ("dotnet.gc.collections", () => GC.CollectionCount(0)),
            ("dotnet.gc.pause.time", () => GC.GetTotalPauseDuration().TotalSeconds),
            ("dotnet.gc.heap.total_allocated", () => GC.GetTotalAllocatedBytes()),
            ("dotnet.jit.compiled_methods", () => JitInfo.GetCompiledMethodCount()),
            ("dotnet.jit.compilation.time", () => JitInfo.GetCompilationTime().TotalSeconds),
        ];
        using CompleteReading complete = new(hasRuntime: true);
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        GC.Collect();
        double[] before = [.. totals.Select(total => total.Read())];

        await complete.ExportAsync(receiver.Endpoint);

        foreach (((string metric, Func<double> read), double least) in totals.Zip(before))
        {
            receiver.Points.Where(point => point.Metric == metric).Sum(point => point.Sum).Should().BeInRange(least, read(), metric);
        }
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
