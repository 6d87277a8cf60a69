using System.Buffers;
using System.Globalization;
using System.Text;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Samples.Tests;

/// <summary>An exporter of a third party: this project does not see the internals of any package.</summary>
public class ThirdPartyExporterTests
{
    [Fact]
    public void It_reproduces_the_buckets_of_PrometheusWriter() => Seeded.Run(200, random =>
    {
        HdrHistogram histogram = NextHistogram(random);
        double relativeError = ((double[])[0.125, 0.25, 0.5, 0.01])[random.Next(4)];

        Buckets(histogram, relativeError).Should().Equal(BucketsOfWriter(histogram, relativeError));
    });

    [Fact]
    public void It_reads_all_counts() => Seeded.Run(200, random =>
    {
        HdrHistogram histogram = NextHistogram(random);
        using HdrHistogramCounts counts = histogram.GetCounts();
        HdrHistogram copy = HdrHistogram.Factory.WithLayoutOf(histogram).Create();

        copy.AddCounts(counts.Layout, counts.FirstIndex, counts.AsSpan());

        copy.Buckets.Should().Equal(histogram.Buckets);
        (counts.CountBelowRange, counts.CountBelowRange + counts.CountAboveRange).Should().Be((histogram.UnderflowCount, histogram.OverflowCount));
        (counts.TotalCount, counts.GetSum()).Should().Be((histogram.TotalCount, histogram.GetSummary().Sum));
    });

    private static HdrHistogram NextHistogram(Random random)
    {
        ulong min = (ulong)random.Next(3) * 1_000;
        HdrHistogram histogram = HdrHistogram.Factory
            .WithRelativeError(((double[])[0.1, 0.01, 0.001])[random.Next(3)])
            .WithLowestDiscernibleValue(1UL << random.Next(5))
            .WithMinTrackableValue(min)
            .WithMaxTrackableValue(min + (1UL << random.Next(4, 45)))
            .Create();
        for (int i = random.Next(200); i > 0; i--)
        {
            histogram.Record((ulong)random.NextInt64() >> random.Next(1, 63), (ulong)random.Next(1, 9));
        }

        return histogram;
    }

    private static List<(double Bound, ulong Count)> Buckets(HdrHistogram histogram, double relativeError)
    {
        using HdrHistogramCounts counts = histogram.GetCounts();
        HdrHistogramLayout own = counts.Layout, coarse = new(Math.Max(relativeError, own.RelativeError), own.LowestDiscernibleValue);
        ulong start = own.GetStart(own.GetIndex(histogram.MinTrackableValue));
        ulong end = Math.Min(own.GetEnd(own.GetIndex(histogram.MaxTrackableValue)), coarse.GetEnd(coarse.GetIndex(HdrHistogramDescription.Nanoseconds.HighestBound)));
        List<(double, ulong)> buckets = start > 0 ? [(start - 1, counts.CountBelowRange)] : [];
        for (int i = coarse.GetIndex(start); i <= coarse.GetIndex(end); i++)
        {
            ulong bound = Math.Min(coarse.GetEnd(i), end);
            buckets.Add((bound, counts.CountBelowRange + counts.GetCount(0, own.GetIndex(bound) + 1)));
        }

        buckets.Add((double.PositiveInfinity, counts.CountBelowRange + counts.TotalCount + counts.CountAboveRange));
        return buckets;
    }

    private static IEnumerable<(double Bound, ulong Count)> BucketsOfWriter(HdrHistogram histogram, double relativeError)
    {
        ArrayBufferWriter<byte> output = new();
        new PrometheusWriter(relativeError).WriteHistograms(output, PrometheusFormat.Text, [new HdrHistogramRegistration("x", histogram, new())]);
        return Encoding.UTF8.GetString(output.WrittenSpan).Split('\n')
            .Where(line => line.StartsWith("x_bucket", StringComparison.Ordinal))
            .Select(line => line.Split('"', ' '))
            .Select(parts => (
                parts[1] == "+Inf" ? double.PositiveInfinity : double.Parse(parts[1], CultureInfo.InvariantCulture),
                ulong.Parse(parts[^1], CultureInfo.InvariantCulture)));
    }
}
