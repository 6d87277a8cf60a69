namespace Picollo.Export.Tests;

public class EncodingTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    public void Histograms_of_all_digits_are_decoded_with_the_same_buckets(int digits) => Seeded.Run(digits < 5 ? 60 : 20, random =>
    {
        ulong max = Math.Max(2, random.NextMagnitude() >> 1);
        HdrHistogram histogram = Variants.Next(random).WithSignificantDigits(digits).WithMaxTrackableValue(max).Create();
        ulong most = (ulong)long.MaxValue;
        for (int n = random.Next(300); n > 0; n--)
        {
            ulong count = Math.Min(1 + (random.NextMagnitude() >> random.Next(8)), most / 2);
            most -= count;
            histogram.Record(random.NextMagnitude() % max, count);
        }

        foreach (byte[] encoded in Both(histogram))
        {
            PlainHdrHistogram<ulong> decoded = HdrHistogramEncoding.Decode(encoded);
            decoded.BlockSize.Should().Be(histogram.BlockSize);
            decoded.MaxTrackableValue.Should().Be(max);
            BucketsShouldBeEqual(decoded, histogram);
            decoded.OverflowCount.Should().Be(0);
        }
    });

    [Fact]
    public void Other_precisions_keep_the_sum() => Seeded.Run(100, random =>
    {
        HdrHistogram histogram = Variants.Next(random).WithRelativeError(random.Next(2) == 0 ? 0.001 : 0.02)
            .WithLowestDiscernibleValue(1UL << random.Next(10)).WithMaxTrackableValue(1UL << 40).Create();
        for (int n = random.Next(1, 300); n > 0; n--)
        {
            histogram.Record(random.NextMagnitude() & ((1UL << 40) - 1), (ulong)random.Next(1, 1_000));
        }

        PlainHdrHistogram<ulong> decoded = HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(histogram));
        Bucket[] used = [.. histogram.BucketsWithValues];
        double bound = used.Max(bucket => (double)bucket.Count * bucket.Step) / 4;

        decoded.BucketsWithValues.Should().HaveSameCount(used, "each bucket becomes one bucket");
        decoded.GetSummary().Sum.Should().BeApproximately(histogram.GetSummary().Sum, bound);
    });

    [Fact]
    public void A_unit_too_large_for_the_digits_is_reduced()
    {
        // A block of 8 has the unit 2^58. A block of 16, of one digit, has the unit 2^57.
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.1).WithLowestDiscernibleValue(1UL << 58).WithMaxTrackableValue(1UL << 62).Create();
        histogram.Record(0, 3);
        histogram.Record(1UL << 62, 2);

        PlainHdrHistogram<ulong> decoded = HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(histogram));

        decoded.LowestDiscernibleValue.Should().Be(1UL << 57);
        decoded.GetCountBetween(0, (1UL << 58) - 1).Should().Be(3);
        decoded.GetCountBetween(1UL << 62, (1UL << 62) + (1UL << 58) - 1).Should().Be(2);
    }

    [Fact]
    public void Other_precisions_are_decoded_within_the_documented_error()
    {
        // All block sizes, including those of digits.
        for (int scale = 3; scale <= 19; scale++)
        {
            double relativeError = Math.Clamp(0.5 / (1 << scale), 0.000_001, 0.1);
            Seeded.Run(3, random =>
            {
                HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(relativeError).WithMaxTrackableValue(1UL << 40).Create();
                histogram.BlockSize.Should().Be(1 << scale);
                var values = new List<ulong>();
                for (int n = 0; n < 500; n++)
                {
                    values.Add(random.NextMagnitude() & ((1UL << 40) - 1));
                    histogram.Record(values[^1]);
                }

                PlainHdrHistogram<ulong> decoded = HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(histogram));

                int finest = 1 << 17;
                decoded.BlockSize.Should().BeOneOf([16, 128, 1024, 16384, finest]).And.BeGreaterThanOrEqualTo(Math.Min(1 << scale, finest));
                decoded.TotalCount.Should().Be(500);
                values.Sort();
                List<ulong> middles = [.. decoded.BucketsWithValues.SelectMany(bucket => Enumerable.Repeat(bucket.Start + (bucket.Step / 2), (int)bucket.Count))];
                for (int i = 0; i < values.Count; i++)
                {
                    // The error of the bucket, and half a bucket of the decoded histogram, in whole numbers.
                    double allowed = values[i] * (histogram.RelativeError + decoded.RelativeError);
                    Math.Abs((double)middles[i] - values[i]).Should().BeLessThanOrEqualTo(Math.Ceiling(allowed), "value {0}, block size {1}", values[i], 1 << scale);
                }
            });
        }
    }

    [Fact]
    public void Encodings_longer_than_the_buffers_are_decoded_and_rejected_if_truncated() => Seeded.Run(1, random =>
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(100_000_000).WithUInt64Storage().Create();
        for (ulong value = 1; value < 100_000_000; value += 1 + (value / 1000))
        {
            histogram.Record(value, 1 + (ulong)random.NextInt64(1L << random.Next(48)));
        }

        foreach (byte[] encoded in Both(histogram))
        {
            encoded.Length.Should().BeGreaterThan(2 * EncodedBytes.BufferLength);
            BucketsShouldBeEqual(HdrHistogramEncoding.Decode(encoded), histogram);
        }

        byte[] cut = HdrHistogramEncoding.Encode(histogram)[..^(1 + random.Next(EncodedBytes.BufferLength))];
        foreach (byte[] encoded in new[] { cut, RawEncoding.Compressed(cut) })
        {
            Assert.Throws<HdrHistogramFormatException>(() => HdrHistogramEncoding.Decode(encoded)).Offset.Should().Be(cut.Length);
        }
    });

    [Fact]
    public void An_empty_histogram_is_one_count_of_zero_at_zero()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(2).WithMaxTrackableValue(100_000).Create();
        HdrHistogramEncoding.Encode(histogram).Should().Equal(RawEncoding.OfNumbers(2, 1, 100_000, 0));
        foreach (byte[] encoded in Both(histogram))
        {
            PlainHdrHistogram<ulong> decoded = HdrHistogramEncoding.Decode(encoded);
            decoded.BucketsWithValues.Should().BeEmpty();
            decoded.MaxTrackableValue.Should().Be(100_000);
        }
    }

    [Fact]
    public void Counts_up_to_2_to_the_63_minus_1_are_encoded_and_larger_ones_are_rejected()
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Factory.WithSignificantDigits(1).WithMaxTrackableValue(1000).Create();
        histogram.Record(7, long.MaxValue - 1);
        histogram.Record(900, 1);
        foreach (byte[] encoded in Both(histogram))
        {
            BucketsShouldBeEqual(HdrHistogramEncoding.Decode(encoded), histogram);
        }

        histogram.Record(900, 1);
        Rejected("The histogram has more than 2^63-1 values*");
        histogram.Record(900, 1UL << 63); // 2⁶⁴ in all
        Rejected("The histogram has more than 2^63-1 values*");
        histogram.Record(3, ulong.MaxValue / 2 + 2);
        Rejected("The histogram has more than 2^63-1 values*");

        void Rejected(string message)
        {
            var output = new ArrayBufferWriter<byte>();
            histogram.Invoking(each => HdrHistogramEncoding.Encode(each, output)).Should().Throw<ArgumentException>().WithMessage(message);
            histogram.Invoking(each => HdrHistogramEncoding.EncodeCompressed(each, output)).Should().Throw<ArgumentException>().WithMessage(message);
            output.WrittenCount.Should().Be(0);
            histogram.Invoking(HdrHistogramEncoding.EncodeCompressed).Should().Throw<ArgumentException>().WithMessage(message);
        }
    }

    [Theory]
    [InlineData(0.000_001)]
    [InlineData(0.000_005)]
    [InlineData(0.001)]
    [InlineData(0.1)]
    public void Values_up_to_2_to_the_63_minus_1_are_encoded_and_larger_ones_are_rejected(double relativeError)
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Factory.WithRelativeError(relativeError).Create();
        histogram.Record(long.MaxValue);
        PlainHdrHistogram<ulong> decoded = HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(histogram));
        decoded.TotalCount.Should().Be(1);
        ((double)decoded.GetPercentileValue(100)).Should().BeApproximately(long.MaxValue, long.MaxValue * (relativeError + decoded.RelativeError));

        histogram.Record(1UL << 63);
        histogram.Invoking(HdrHistogramEncoding.Encode).Should().Throw<ArgumentException>().WithMessage("The histogram has a value of 9223372036854775808 or more*2^63-1*");
    }

    [Fact]
    public void A_range_above_the_limit_of_the_format_is_written_up_to_the_largest_value()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(3).Create();
        HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(histogram)).MaxTrackableValue.Should().Be(2);
        histogram.Record(1_000_000);
        HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(histogram)).MaxTrackableValue.Should().Be(histogram.GetBucket(1_000_000).Start);

        // A histogram of another precision is written up to the midpoint, in which the value is counted.
        HdrHistogram coarse = HdrHistogram.Factory.WithRelativeError(0.01).Create();
        coarse.Record(1_000_000);
        Bucket bucket = coarse.GetBucket(1_000_000);
        HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(coarse)).MaxTrackableValue.Should().Be(bucket.Start + (bucket.Step / 2));
        HdrHistogram last = HdrHistogram.Factory.WithRelativeError(0.1).WithMaxTrackableValue(961).Create();
        last.Record(961); // in the bucket 960 to 1023
        HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(last)).MaxTrackableValue.Should().Be(992);
    }

    [Fact]
    public void Out_of_range_counts_and_the_lowest_value_are_not_encoded()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(2).WithMinTrackableValue(5_000).WithMaxTrackableValue(10_000).Create();
        histogram.Record([1, 6_000, 1_000_000]);
        PlainHdrHistogram<ulong> decoded = HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(histogram));
        (decoded.TotalCount, decoded.OverflowCount, decoded.MinTrackableValue).Should().Be((1, 0, 0));
        decoded.GetBucket(6_000).Count.Should().Be(1);
    }

    [Fact]
    public void Encoding_to_a_writer_allocates_two_small_objects()
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(3_600_000_000_000).Create();
        Seeded.Run(1, random => histogram.Record([.. Enumerable.Range(0, 5000).Select(_ => (ulong)random.NextInt64(3_600_000_000_000))]));
        var output = new ArrayBufferWriter<byte>(100_000);
        Allocations.InSteadyState(() =>
        {
            output.ResetWrittenCount();
            HdrHistogramEncoding.Encode(histogram, output);
        }).Should().BeLessThanOrEqualTo(100 * 112);
        output.WrittenSpan.ToArray().Should().Equal(HdrHistogramEncoding.Encode(histogram));
    }

    [Fact]
    public void Compressed_encoding_to_a_writer_appends_the_same_bytes()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record([1, 20, 300_000]);
        StrictBufferWriter output = new();
        HdrHistogramEncoding.Encode(histogram, output);
        HdrHistogramEncoding.EncodeCompressed(histogram, output);

        output.Written.ToArray().Should().Equal([.. HdrHistogramEncoding.Encode(histogram), .. HdrHistogramEncoding.EncodeCompressed(histogram)]);
        histogram.Invoking(each => HdrHistogramEncoding.EncodeCompressed(each, null!)).Should().Throw<ArgumentNullException>();
    }

    private static byte[][] Both(ReadOnlyHdrHistogram histogram) =>
        [HdrHistogramEncoding.Encode(histogram), HdrHistogramEncoding.EncodeCompressed(histogram)];

    private static void BucketsShouldBeEqual(ReadOnlyHdrHistogram actual, ReadOnlyHdrHistogram expected) =>
        actual.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Step, bucket.Count))
            .Should().Equal(expected.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Step, bucket.Count)));
}
