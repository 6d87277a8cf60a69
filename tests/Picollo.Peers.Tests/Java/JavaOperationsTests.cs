using System.Text;
using Picollo.Export;
using Picollo.Metrics;
using static System.FormattableString;

namespace Picollo.Peers.Tests.Java;

/// <summary>Compares iteration in steps, the difference of histograms and the later correction with Java.</summary>
[Trait("Category", "Long")]
public sealed class JavaOperationsTests
{
    private const int Cases = 200;
    private const int Lines = 4;

    [FactNeeding(Need.Java)]
    public void Java_returns_the_same_results()
    {
        int seed = Seeded.FirstSeed;
        var random = new Random(seed);
        var source = new StringBuilder();
        var expected = new List<string>();
        for (int i = 0; i < Cases; i++)
        {
            (HdrHistogram histogram, HdrHistogram part) = Next(random);
            ulong largest = histogram.GetPercentile(100).Bucket.End + 1;
            ulong step = 1 + (largest / (ulong)random.Next(1, 300));
            ulong first = (ulong)random.NextInt64(1, 1 + (long)(largest >> random.Next(8)));
            double logBase = random.Next(3) == 0 ? 2 : 1 + Math.Round(random.NextDouble() * 4, 3) + 0.001;
            ulong interval = random.Next(4) == 0 ? 0 : 1 + (largest / (ulong)random.Next(1, 50));
            source.Append(Invariant($"{step};{first};{logBase:R};{interval};{Encoded(histogram)};{Encoded(part)}\n"));
            expected.Add(Text(histogram.GetLinearBins(step)));
            expected.Add(Text(histogram.GetLogarithmicBins(first, logBase)));
            expected.Add(Text(histogram.GetCorrected(interval)));
            histogram.Subtract(part);
            expected.Add(Text(histogram));
        }

        string[] javas = JavaLibrary.RunWithInput(source.ToString(), "Operations").Split('\n')[..^1];

        javas.Should().HaveSameCount(expected);
        for (int i = 0; i < javas.Length; i++)
        {
            expected[i].Should().Be(javas[i], "that is what Java prints in line {0} of case {1} of seed {2}", i % Lines, i / Lines, seed);
        }
    }

    private static (HdrHistogram Histogram, HdrHistogram Part) Next(Random random)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(random.Next(1, 4))
            .WithLowestDiscernibleValue(1UL << random.Next(random.Next(2) * 8 + 1)).WithMaxTrackableValue(1UL << random.Next(10, 40)).Create();
        HdrHistogram part = HdrHistogram.Factory.WithLayoutOf(histogram).Create();
        for (int n = random.Next(8) == 0 ? 0 : random.Next(100); n > 0; n--)
        {
            ulong value = (ulong)random.NextInt64((long)histogram.MaxTrackableValue) >> random.Next(30);
            ulong count = (ulong)random.Next(1, 100);
            histogram.Record(value, count);
            part.Record(value, (ulong)random.NextInt64((long)count));
        }

        return (histogram, part);
    }

    private static string Encoded(HdrHistogram histogram) => Convert.ToBase64String(HdrHistogramEncoding.Encode(histogram));

    private static string Text(HdrHistogram histogram) =>
        Text(histogram.BucketsWithValues.Select(bucket => (bucket.End, bucket.Count)));

    private static string Text(IEnumerable<HdrHistogramBin> steps) => Text(steps.Select(step => (step.End, step.Count)));

    private static string Text(IEnumerable<(ulong End, ulong Count)> steps) =>
        string.Concat(steps.Select(step => Invariant($"{step.End}x{step.Count} ")));
}
