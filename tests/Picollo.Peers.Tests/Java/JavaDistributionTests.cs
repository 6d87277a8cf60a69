using System.Text;
using Picollo.Export;
using Picollo.Metrics;
using static System.FormattableString;

namespace Picollo.Peers.Tests.Java;

[Trait("Category", "Long")]
public sealed class JavaDistributionTests
{
    [FactNeeding(Need.Java)]
    public void Percentile_distributions_equal_those_of_Java_byte_for_byte()
    {
        int seed = Seeded.FirstSeed;
        var random = new Random(seed);
        for (int part = 0; part < 6; part++) // because all texts together can take one gigabyte
        {
            ShouldEqualJava(random, Invariant($"part {part} of seed {seed}"));
        }
    }

    private static void ShouldEqualJava(Random random, string part)
    {
        const int Cases = 50;
        var source = new StringBuilder();
        var expected = new StringBuilder();
        for (int i = 0; i < Cases; i++)
        {
            Garbage.CollectIfGrown();
            HdrHistogram histogram = Next(random);
            int ticks = random.Next(1, 21);
            double ratio = random.Next(4) switch { 0 => 1, 1 => 1000, 2 => 1_000_000, _ => 1 + (random.NextDouble() * 100) };
            source.Append(Invariant($"{ticks};{ratio:R};{Convert.ToBase64String(HdrHistogramEncoding.EncodeCompressed(histogram))}\n"));
            using var text = new StringWriter(expected);
            PercentileDistribution.Write(histogram, text, ticks, ratio);
            text.Write("--\n");
            PercentileDistribution.WriteCsv(histogram, text, ticks, ratio);
            text.Write("--\n");
        }

        string[] javas = JavaLibrary.RunWithInput(source.ToString(), "Distributions").Split("--\n");
        string[] ours = expected.ToString().Split("--\n");

        ours.Should().HaveSameCount(javas).And.HaveCount((2 * Cases) + 1);
        for (int i = 0; i < ours.Length; i++)
        {
            ours[i].Should().Be(javas[i], "that is what Java prints for case {0} of {1}", i / 2, part);
        }
    }

    private static PlainHdrHistogram<ulong> Next(Random random)
    {
        // Up to 15 digits including decimals, which every JVM prints in the same way.
        int digits = random.Next(1, 6);
        ulong most = (ulong)Math.Pow(10, 15 - digits);
        PlainHdrHistogram<ulong> histogram = HdrHistogram.Factory
            .WithSignificantDigits(digits)
            .WithLowestDiscernibleValue(random.Next(2) == 0 ? 1 : 1UL << random.Next(1, 4))
            .WithMaxTrackableValue(digits < 4 && random.Next(4) == 0 ? ulong.MaxValue : 2 + (most >> random.Next(30)))
            .WithUInt64Storage().Create();
        for (int n = random.Next(5) == 0 ? random.Next(3) : random.Next(500); n > 0; n--)
        {
            ulong value = (ulong)random.NextInt64((long)most) >> random.Next(50);
            ulong count = (ulong)random.NextInt64(1, 1L << random.Next(1, 35));
            histogram.Record(Math.Min(value, histogram.MaxTrackableValue), count);
        }

        return histogram;
    }
}
