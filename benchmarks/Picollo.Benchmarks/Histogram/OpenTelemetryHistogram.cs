using System.Diagnostics.Metrics;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace Picollo.Benchmarks.Histogram;

/// <summary>
/// The framework's histogram instrument with an OpenTelemetry reader attached. Its buckets are other ones, so count and sum
/// are what is checked.
/// </summary>
internal sealed class OpenTelemetryHistogram : Contender
{
    // Ten times slower than the others, so a tenth of their operations.
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

    /// <summary>1, 2, 5, 10 and so on to 10¹⁰.</summary>
    public static ExplicitBucketHistogramConfiguration ExplicitBuckets { get; } = new()
    {
        Boundaries = [.. Enumerable.Range(0, 10).SelectMany(decade => new[] { 1, 2, 5 }.Select(digit => digit * Math.Pow(10, decade))), 1e10],
    };

    /// <summary>As it comes: 160 buckets of a width that adapts.</summary>
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
            $"{_exporter.Count} values, sum {_exporter.Sum} where {Operations} and {sum} were due.");
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
