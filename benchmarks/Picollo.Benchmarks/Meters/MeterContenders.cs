using System.Diagnostics.Metrics;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using Picollo.Diagnostics;

namespace Picollo.Benchmarks.Meters;

/// <summary>Measures <c>Record(value, tags)</c> of an instrument with a listener.</summary>
internal abstract class MeterContender(string name, MeasurementSet set) : Contender($"{name}, {set}", OperationsPerRun)
{
    private const int OperationsPerRun = 4 * MeasurementSet.Count;

    protected MeasurementSet Set { get; } = set;

    protected Histogram<double> Instrument { get; } =
        new Meter($"Picollo.Benchmarks.{name}.{set}").CreateHistogram<double>("http.server.request.duration", "s");

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        Histogram<double> instrument = Instrument;
        KeyValuePair<string, object?>[][] tags = Set.Tags;
        double[] values = Set.Values;
        for (int i = 0; i < operations; i++)
        {
            instrument.Record(values[i & (values.Length - 1)], tags[i & (tags.Length - 1)].AsSpan());
        }
    }

    public override void Verify()
    {
        Run(Operations);
        (long count, double sum, int series) = Read();
        double expected = Set.Values.Sum() * (Operations / MeasurementSet.Count);
        int different = Set.Tags.Select(tags => string.Join(',', tags.Select(tag => tag.Value))).Distinct().Count();
        Require(
            count == Operations && series == different && Math.Abs(sum - expected) < 0.01 * expected,
            $"{count} values in {series} series with the sum {sum}; expected {Operations} values in {different} series with the sum {expected}.");
    }

    protected abstract (long Count, double Sum, int Series) Read();
}

/// <summary>Listens with <see cref="MeterHistograms"/>.</summary>
internal sealed class PicolloMeter : MeterContender
{
    private readonly HdrHistogramRegistry _registry = new();

    public PicolloMeter(MeasurementSet set)
        : base("MeterHistograms", set) =>
        _ = MeterHistograms.Start(_registry, new MeterHistogramsOptions().AddMeter(Instrument.Meter.Name));

    protected override (long Count, double Sum, int Series) Read()
    {
        HdrHistogramSummary[] all = [.. _registry.Registrations.Select(registration => registration.Histogram.GetSummary())];
        return (all.Sum(one => (long)one.TotalCount), all.Sum(one => one.Sum) / 1e9, all.Length);
    }
}

/// <summary>Listens with the OpenTelemetry SDK, with exponential histograms of 160 buckets, its default size.</summary>
internal sealed class OpenTelemetryMeter : MeterContender
{
    private readonly MeterProvider _provider;
    private readonly Totals _totals = new();

    public OpenTelemetryMeter(MeasurementSet set)
        : base("OpenTelemetry SDK, exponential buckets", set) =>
        _provider = Sdk.CreateMeterProviderBuilder()
            .AddMeter(Instrument.Meter.Name)
            .AddView(Instrument.Name, new Base2ExponentialBucketHistogramConfiguration())
            .AddReader(new BaseExportingMetricReader(_totals))
            .Build();

    protected override (long Count, double Sum, int Series) Read()
    {
        _provider.ForceFlush();
        return _totals.Last;
    }

    private sealed class Totals : BaseExporter<Metric>
    {
        public (long Count, double Sum, int Series) Last { get; private set; }

        public override ExportResult Export(in Batch<Metric> batch)
        {
            (long count, double sum, int series) = (0, 0, 0);
            foreach (Metric metric in batch)
            {
                foreach (ref readonly MetricPoint point in metric.GetMetricPoints())
                {
                    count += point.GetHistogramCount();
                    sum += point.GetHistogramSum();
                    series++;
                }
            }

            Last = (count, sum, series);
            return ExportResult.Success;
        }
    }
}
