using System.Diagnostics.Metrics;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace Picollo.Benchmarks.Histogram;

/// <summary>
/// The histogram instrument of .NET with an OpenTelemetry reader. Its buckets differ from the others, so only the count and the sum
/// are verified.
/// </summary>
internal sealed class OpenTelemetryHistogram : Contender
{
    // It is ten times slower than the others, so it runs a tenth of the operations.
    private const int OperationsPerRun = ValueSet.Count / 200;

    private readonly ValueSet _set;
    private readonly Histogram<long> _instrument;
    private readonly MeterProvider _provider;
    private readonly LastMetric _exporter = new();

    public OpenTelemetryHistogram(ValueSet set, string kind, HistogramConfiguration configuration)
        : base($"Histogram<long> with OpenTelemetry, {kind}", OperationsPerRun)
    {
        _set = set;
        Meter meter = new($"Picollo.Benchmarks.{set}.{kind}");
        _instrument = meter.CreateHistogram<long>("values");
        _provider = Sdk.CreateMeterProviderBuilder()
            .AddMeter(meter.Name)
            .AddView("values", configuration)
            .AddReader(new BaseExportingMetricReader(_exporter))
            .Build();
    }

    /// <summary>The bounds 1, 2, 5, 10 and so on up to 10¹⁰.</summary>
    public static ExplicitBucketHistogramConfiguration ExplicitBuckets { get; } = new()
    {
        Boundaries = [.. Enumerable.Range(0, 10).SelectMany(decade => new[] { 1, 2, 5 }.Select(digit => digit * Math.Pow(10, decade))), 1e10],
    };

    /// <summary>The default configuration: 160 buckets with adaptive widths.</summary>
    public static Base2ExponentialBucketHistogramConfiguration Exponential { get; } = new();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        Histogram<long> instrument = _instrument;
        foreach (ulong value in _set.Values.AsSpan(0, operations))
        {
            instrument.Record((long)value);
        }
    }

    public override void Verify()
    {
        Run(Operations);
        _provider.ForceFlush();
        double sum = _set.Values.AsSpan(0, Operations).ToArray().Sum(value => (double)value);
        Require(
            _exporter.Count == Operations && Math.Abs(_exporter.Sum - sum) <= sum * 1e-9,
            $"{_exporter.Count} values with the sum {_exporter.Sum}; expected {Operations} with the sum {sum}.");
    }

    private sealed class LastMetric : BaseExporter<Metric>
    {
        public long Count { get; private set; }

        public double Sum { get; private set; }

        public override ExportResult Export(in Batch<Metric> batch)
        {
            foreach (Metric metric in batch)
            {
                foreach (ref readonly MetricPoint point in metric.GetMetricPoints())
                {
                    Count = point.GetHistogramCount();
                    Sum = point.GetHistogramSum();
                }
            }

            return ExportResult.Success;
        }
    }
}
