using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using Picollo.Export;
using Picollo.Metrics;
using static System.FormattableString;

namespace Picollo.Peers.Tests.Java;

[Trait("Category", "Long")]
public sealed class JavaCodecTests
{
    private const int Cases = 200;

    /// <summary>One case in ten has a relative error that is not one of significant digits.</summary>
    private const int OtherPrecision = 10;

    /// <summary>A histogram that resizes itself, with a value beyond its highest trackable value but within its first block.</summary>
    private const int InFirstBlock = 1;

    // In the header of the format.
    private const int LowestAt = 16;
    private const int HighestAt = 24;

    // With fewer values, ranks in doubles equal ranks in integers.
    private const ulong MostOfDoubles = 1UL << 50;

    private static readonly double[] Ranks = [0, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.99, 99.999, 100];

    private readonly int _seed = Seeded.FirstSeed;

    [FactNeeding(Need.Java)]
    public void Histograms_that_Java_wrote_are_read_with_the_same_values()
    {
        var random = new Random(_seed);
        var source = new StringBuilder();
        long[] lowest = new long[Cases];
        for (int i = 0; i < Cases; i++)
        {
            int digits = random.Next(i % 20 == 0 ? 0 : 1, 6);
            lowest[i] = random.Next(4) == 0 ? random.Next(2, 5000) : 1;
            long highest = Math.Max(2 * lowest[i], random.NextInt64(long.MaxValue) >> random.Next(60));

            // A histogram that resizes itself starts at 1.
            bool resizes = random.Next(5) == 0 || i == InFirstBlock;
            lowest[i] = resizes ? 1 : lowest[i];
            source.Append(Invariant($"{digits};{lowest[i]};{(resizes ? 0 : highest)};"));
            long most = long.MaxValue;
            for (int n = i == InFirstBlock || random.Next(6) == 0 ? 0 : random.Next(400); n > 0; n--)
            {
                long count = NextCount(random, ref most);
                source.Append(Invariant($"{random.NextInt64(resizes ? long.MaxValue : highest) >> random.Next(62)}x{count} "));
            }

            source.Append(i == InFirstBlock ? "5x1 \n" : "\n");
        }

        string[] javas = Run("write", source.ToString());

        javas.Should().HaveCount(Cases);
        for (int i = 0; i < Cases; i++)
        {
            Garbage.CollectIfGrown();
            string[] fields = javas[i].Split(';');
            byte[] encoded = Convert.FromBase64String(fields[0]);
            PlainHdrHistogram<ulong> histogram = HdrHistogramEncoding.Decode(encoded);
            PlainHdrHistogram<ulong> inflated = HdrHistogramEncoding.Decode(Convert.FromBase64String(fields[1]));
            inflated.BucketsWithValues.Should().Equal(histogram.BucketsWithValues);

            // Only the Java implementation supports 0 digits.
            bool sameBuckets = encoded[15] > 0;
            ShouldAgree(fields[2..], histogram, sameBuckets, i);
            if (sameBuckets)
            {
                // The histogram of Java starts at 2 and resizes itself only for values beyond its first block. The range of the decoded
                // histogram ends with the block. The lowest value is rounded down to a power of two.
                BinaryPrimitives.WriteInt64BigEndian(encoded.AsSpan(LowestAt), (long)histogram.LowestDiscernibleValue);
                Span<byte> highest = encoded.AsSpan(HighestAt, sizeof(long));
                if (BinaryPrimitives.ReadInt64BigEndian(highest) < (long)histogram.BucketsWithValues.LastOrDefault().Start)
                {
                    BinaryPrimitives.WriteInt64BigEndian(highest, (long)histogram.MaxTrackableValue);
                }

                HdrHistogramEncoding.Encode(histogram).Should().Equal(encoded, "that is what Java writes for case {0} of seed {1}", i, _seed);
            }
        }
    }

    [FactNeeding(Need.Java)]
    public void Java_reads_our_histograms_with_the_same_values()
    {
        var source = new StringBuilder();
        for (int i = 0; i < Cases; i++)
        {
            HdrHistogram histogram = Written(i);
            source.Append(Convert.ToBase64String(HdrHistogramEncoding.Encode(histogram))).Append('\n');
            source.Append(Convert.ToBase64String(HdrHistogramEncoding.EncodeCompressed(histogram))).Append('\n');
        }

        string[] javas = Run("read", source.ToString());

        javas.Should().HaveCount(2 * Cases);
        for (int i = 0; i < Cases; i++)
        {
            javas[(2 * i) + 1].Should().Be(javas[2 * i]);
            HdrHistogram histogram = Written(i);

            // Other precisions are decoded with more digits.
            ShouldAgree(javas[2 * i].Split(';'), i % OtherPrecision == 0 ? HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(histogram)) : histogram, sameBuckets: true, i);
        }
    }

    /// <summary>Creates the histogram of a case, some with a unit. It is created when it is needed, because all fine histograms together take gigabytes.</summary>
    private HdrHistogram Written(int i)
    {
        Garbage.CollectIfGrown();
        var random = new Random(unchecked(_seed + i));
        ulong highest = Math.Max(2, (ulong)(random.NextInt64(long.MaxValue) >> random.Next(60)));
        HdrHistogramFactory precision = i % OtherPrecision == 0
            ? HdrHistogram.Factory.WithRelativeError(Math.Clamp(0.5 / (1 << random.Next(3, 20)), 0.000_001, 0.1))
            : HdrHistogram.Factory.WithSignificantDigits(random.Next(1, 6));
        HdrHistogram histogram = precision
            .WithLowestDiscernibleValue(random.Next(2) == 0 ? 1 : Math.Min(highest / 2, (ulong)random.Next(1, 20_000)))
            .WithMaxTrackableValue(random.Next(10) == 0 ? ulong.MaxValue : highest).WithUInt64Storage().Create();
        long most = long.MaxValue;
        for (int n = random.Next(6) == 0 ? 0 : random.Next(400); n > 0; n--)
        {
            histogram.Record((ulong)random.NextInt64((long)highest) >> random.Next(62), (ulong)NextCount(random, ref most));
        }

        return histogram;
    }

    private static long NextCount(Random random, ref long most)
    {
        // Most counts are small. Some are up to half of the remaining total.
        long count = Math.Min(1 + (random.NextInt64(long.MaxValue) >> (random.Next(20) == 0 ? 0 : random.Next(40, 63))), most / 2);
        most -= count;
        return Math.Max(count, 1);
    }

    /// <summary>Compares the values of a histogram with the values that Java prints.</summary>
    private void ShouldAgree(string[] javas, HdrHistogram histogram, bool sameBuckets, int number)
    {
        string because = Invariant($"Java prints this for case {number} of seed {_seed}");
        string[] figures = javas[0].Split(' ');
        HdrHistogramSummary summary = histogram.GetSummary();
        summary.TotalCount.Should().Be(Whole(figures[0]), because);
        Bucket[] used = [.. histogram.BucketsWithValues];

        // A bucket with 0 digits covers one to two times a power of two of units. Ours is the one around its middle.
        (ulong Count, ulong Start, ulong End)[] counted = sameBuckets
            ? [.. used.Select(bucket => (bucket.Count, bucket.Start, bucket.End))]
            : [.. used.GroupBy(bucket => ulong.Log2((2 * bucket.Start / histogram.LowestDiscernibleValue) + 1)).Select(octave =>
                ((ulong)octave.Sum(bucket => (decimal)bucket.Count), octave.First().Start, octave.Last().End + octave.Last().Step))];
        string[] buckets = javas[2].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        counted.Select(bucket => bucket.Count).Should().Equal(buckets.Select(bucket => Whole(bucket.Split('x')[1])), because);
        foreach (((ulong _, ulong start, ulong end), string java) in counted.Zip(buckets))
        {
            Whole(java.Split('x')[0]).Should().BeInRange(start, end, because);
        }

        // If the buckets of Java are wider than ours, its values are the ends of its buckets.
        Close(figures[3], summary.Mean, sameBuckets ? 1e-9 : histogram.RelativeError);
        Close(figures[4], summary.StDev, sameBuckets ? 1e-6 : histogram.RelativeError);
        if (!sameBuckets || used.Length == 0)
        {
            return;
        }

        used[0].Start.Should().Be(Whole(figures[1]), because);

        // Java distinguishes only the value 0 from the other values in the first bucket.
        ulong largest = Whole(figures[2]);
        (used[^1].Start == 0 && largest == 0 ? 0 : EndOf(used[^1])).Should().Be(largest, because);
        string[] values = javas[1].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        values.Should().HaveSameCount(Ranks);
        for (int i = 0; i < Ranks.Length; i++)
        {
            // Java uses the next smaller rank, which in doubles equals the rank in integers if there are not too many values. At rank 0,
            // it returns the start of the bucket.
            ulong java = Ranks[i] == 0 ? used[0].Start
                : summary.TotalCount < MostOfDoubles ? histogram.GetPercentile(Ranks[i]).Bucket.End
                : JavaPercentile(used, summary.TotalCount, Math.BitDecrement(Ranks[i]));
            Whole(values[i]).Should().Be(java, Invariant($"of rank {Ranks[i]}, {because}"));
        }

        void Close(string java, double ours, double tolerance)
        {
            double expected = double.Parse(java, CultureInfo.InvariantCulture);
            if (double.IsNaN(expected))
            {
                expected = 0; // the value of an empty histogram
            }

            Math.Abs(ours - expected).Should().BeLessThanOrEqualTo((tolerance * Math.Max(expected, summary.Mean)) + 1e-9, because);
        }
    }

    /// <summary>Returns the value at a rank as Java computes it. Java counts in doubles. With many values, rounding can make the count too low, even
    /// at rank 100, or larger than the number of values; Java then returns 0.</summary>
    private static ulong JavaPercentile(Bucket[] used, ulong total, double rank)
    {
        double count = Math.Max(Math.Ceiling(rank * total / 100), 1);
        ulong before = 0;
        Bucket found = used.FirstOrDefault(bucket => (before += bucket.Count) >= (ulong)count);
        return found.Step == 0 ? 0 : EndOf(found);
    }

    private static string[] Run(string verb, string lines) =>
        JavaLibrary.RunWithInput(lines, "Codec", verb).Split('\n', StringSplitOptions.RemoveEmptyEntries);

    private static ulong EndOf(Bucket bucket) => bucket.Start + (bucket.Step - 1);

    private static ulong Whole(string text) => ulong.Parse(text, CultureInfo.InvariantCulture);
}
