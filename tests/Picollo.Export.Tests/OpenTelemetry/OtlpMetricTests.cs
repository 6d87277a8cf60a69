namespace Picollo.Export.Tests;

/// <summary>Tests the kinds of metrics that are not histograms, the exemplars of histograms, and which metrics are left out.</summary>
public sealed class OtlpMetricTests : OtlpTests
{
    private const ulong Delta = 1, Cumulative = 2;

    private List<OtlpFamily> _families = [];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Up_down_counters_are_cumulative_and_gauges_have_neither_temporality_nor_start(bool isDelta)
    {
        OtlpExporter exporter = Exporter(isDelta, excludesConventions: null);
        ulong start = OtlpCollector.NanosecondsOf(_time.GetUtcNow());
        foreach (double value in (double[])[3, 5, 0, 0])
        {
            _time.Spend(TimeSpan.FromSeconds(1));
            _families =
            [
                new(new("shop.customers", "Customers.", "{customer}", OtlpKind.UpDownCounter), [new(value, [new("door", "a")])]),
                new(new("shop.temperature", "Temperature.", "celsius", OtlpKind.Gauge), [new(-value)]),
                new(new("shop.sold", "Sold.", "", OtlpKind.Counter), [new(7)]),
            ];
            (await exporter.FlushAsync()).Should().BeTrue();
        }

        OtlpDataPoint[] customers = PointsOf("shop.customers");
        customers.Should().OnlyContain(point => point.Kind == "up-down counter" && point.Unit == "{customer}" && point.Temporality == Cumulative
            && point.StartTime == start && point.Attributes["door"] == "a");
        customers.Select(point => point.Sum).Should().Equal(3, 5, 0, 0);
        OtlpDataPoint[] temperatures = PointsOf("shop.temperature");
        temperatures.Should().OnlyContain(point => point.Kind == "gauge" && point.Unit == "Cel" && point.Temporality == 0 && point.StartTime == 0);
        temperatures.Select(point => (point.Sum, point.Time)).Should().Equal(customers.Select(point => (-point.Sum, point.Time)));
        PointsOf("shop.sold").Select(point => (point.Kind, point.Temporality, point.Sum)).Should()
            .Equal(Enumerable.Repeat(("counter", isDelta ? Delta : Cumulative, 7.0), isDelta ? 1 : 4));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Exemplars_have_the_IDs_of_their_trace_and_belong_to_the_time_of_their_point(bool isExponential)
    {
        OtlpExporter exporter = Exporter(isDelta: true, excludesConventions: null, isExponential);
        HdrHistogram histogram = HdrHistogram.Create();
        List<Exemplar> exemplars = [];
        HdrHistogramRegistration registration = new("queue.wait", histogram, HdrHistogramDescription.Nanoseconds, [])
        {
            OwnerFacts = new() { Exemplars = () => [.. exemplars] },
        };
        _registrations.Add(registration);
        for (int i = 1; i <= 2; i++)
        {
            _time.Spend(TimeSpan.FromSeconds(1));
            histogram.Record(250_000_000);
            exemplars.Add(new(250_000_000, _time.GetUtcNow(), new string('a', 31) + i, "0123456789abcdef"));
            exemplars.Add(new(900_000_000, _time.GetUtcNow().AddSeconds(10), new string('c', 32), new string('d', 16))); // after the point
            _time.Spend(TimeSpan.FromSeconds(1));
            (await exporter.FlushAsync()).Should().BeTrue();
        }

        PointsOf("queue.wait").Select(point => point.Exemplars.Select(exemplar => (exemplar.Value, exemplar.SpanId, exemplar.TraceId)).Single())
            .Should().Equal((0.25, "0123456789abcdef", new string('a', 31) + 1), (0.25, "0123456789abcdef", new string('a', 31) + 2));
        PointsOf("queue.wait").Select(point => point.Time - point.Exemplars[0].Time).Should().Equal(1_000_000_000, 1_000_000_000);
    }

    [Theory]
    [InlineData(null, 8)]
    [InlineData(false, 8)]
    [InlineData(true, 4)]
    public async Task Metrics_of_the_semantic_conventions_are_left_out_on_request(bool? excludes, int count)
    {
        string[] own = ["dotnet.gc.pause.duration", "http", "picollo.work.time", "shop.process.cpu.time"];
        string[] ofConventions = ["dotnet.gc.pause.time", "http.server.request.duration", "kestrel.connection.duration", "process.cpu.time"];
        OtlpExporter exporter = Exporter(isDelta: false, excludes);
        foreach (string name in (string[])[.. own, .. ofConventions])
        {
            if (name.EndsWith("time", StringComparison.Ordinal))
            {
                _families.Add(new(new(name, "", "seconds", OtlpKind.Counter), [new(1)]));
            }
            else
            {
                _registrations.Add(new(name, HdrHistogram.Create(), HdrHistogramDescription.Nanoseconds, []));
            }
        }

        (await exporter.FlushAsync()).Should().BeTrue();

        _receiver.Points.Select(point => point.Metric).Should().HaveCount(count)
            .And.BeEquivalentTo(excludes == true ? own : [.. own, .. ofConventions]);
    }

    [Fact]
    public async Task Status_codes_are_numbers_and_other_attributes_are_text()
    {
        OtlpExporter exporter = Exporter(isDelta: false, excludesConventions: null);
        foreach (string code in (string[])["404", "_OTHER"])
        {
            _registrations.Add(new("x", HdrHistogram.Create(), HdrHistogramDescription.None, [new("http.response.status_code", code), new("other", "404")]));
        }

        (await exporter.FlushAsync()).Should().BeTrue();

        _receiver.Points.Select(point => (point.Attributes["http.response.status_code"], point.Attributes["other"])).Should()
            .BeEquivalentTo([("int 404", "404"), ("_OTHER", "404")]);
    }

    [Fact]
    public async Task Series_with_the_same_name_and_different_units_are_in_one_metric_for_each_unit()
    {
        OtlpExporter exporter = Exporter(isDelta: false, excludesConventions: null);
        foreach ((string unit, string label) in new[] { ("seconds", "a"), ("bytes", "b"), ("seconds", "c") })
        {
            _registrations.Add(new("x", HdrHistogram.Create(), new() { Unit = new() { Name = unit } }, [new("label", label)]));
        }

        (await exporter.FlushAsync()).Should().BeTrue();

        _receiver.Points.Select(point => (point.Unit, point.Attributes["label"])).Should().Equal(("s", "a"), ("s", "c"), ("By", "b"));
    }

    [Fact]
    public async Task A_counter_that_decreases_starts_again()
    {
        OtlpExporter exporter = Exporter(isDelta: false, excludesConventions: null);
        foreach (double value in (double[])[5, 7, 2, 3])
        {
            _time.Spend(TimeSpan.FromSeconds(1));
            _families = [new(new("shop.sold", "Sold.", "", OtlpKind.Counter), [new(value)])];
            (await exporter.FlushAsync()).Should().BeTrue();
        }

        OtlpDataPoint[] points = PointsOf("shop.sold");
        points.Select(point => point.Sum).Should().Equal(5, 7, 2, 3);
        points.Select(point => point.StartTime).Should().Equal(points[0].StartTime, points[0].StartTime, points[1].Time, points[1].Time);
    }

    private readonly List<HdrHistogramRegistration> _registrations = [];

    private OtlpExporter Exporter(bool isDelta, bool? excludesConventions, bool isExponential = false)
    {
        OtlpExportOptions options = new()
        {
            Endpoint = _receiver.Endpoint,
            Interval = Rarely,
            TimeProvider = _time,
            UseDeltaTemporality = isDelta,
            ExcludeConventionMetrics = excludesConventions,
            UseExponentialHistograms = isExponential,
        };
        OtlpExporter exporter = new(() => _registrations, options, _ => null, null, () => _families);
        _exporters.Add(exporter);
        return exporter;
    }

    private OtlpDataPoint[] PointsOf(string metric) => [.. _receiver.Points.Where(point => point.Metric == metric)];
}
