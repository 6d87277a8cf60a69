using static Picollo.Export.Tests.RawEncoding;

namespace Picollo.Export.Tests;

/// <summary>Decodes the output of the other HdrHistogram libraries, byte by byte, in every version.</summary>
public class DecodingTests
{
    [Fact]
    public void TryDecode_returns_the_histogram_or_the_reason()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(3).Create();
        histogram.Record(1000);
        byte[] encoded = HdrHistogramEncoding.Encode(histogram);

        HdrHistogramEncoding.TryDecode(encoded, out PlainHdrHistogram<ulong>? decoded, out string? reason).Should().BeTrue();
        decoded!.BucketsWithValues.Should().Equal(histogram.BucketsWithValues);
        reason.Should().BeNull();

        foreach (byte[] bad in (byte[][])[[], [1, 2, 3], encoded[..^1]])
        {
            HdrHistogramEncoding.TryDecode(bad, out decoded, out reason).Should().BeFalse();
            decoded.Should().BeNull();
            FluentActions.Invoking(() => HdrHistogramEncoding.Decode(bad)).Should().Throw<HdrHistogramFormatException>().WithMessage(reason!.Replace("*", "?"));
        }
    }

    [Theory]
    [InlineData(2)]
    [InlineData(4)]
    [InlineData(8)]
    public void V0_and_V1_data_with_each_word_size_is_read_plain_and_compressed(int wordSize)
    {
        // One digit has blocks of 16: index 32 is the bucket of 32 and 33.
        long largest = wordSize switch { 2 => short.MaxValue, 4 => int.MaxValue, _ => long.MaxValue - 10 };
        long[] counts = new long[34];
        (counts[0], counts[5], counts[32], counts[33]) = (1, largest, 2, 3);
        byte[] v1 = OfPayload(CookieOf(V1Base, wordSize), 1, 1, 1000, Words(wordSize, counts));
        byte[] v0 = V0(wordSize, 1, 1, 1000, Words(wordSize, counts));
        byte[][] all = [v1, v0, Compressed(v1, CookieOf(V1CompressedBase, wordSize)), Compressed(v0, CookieOf(V0CompressedBase, wordSize))];
        foreach (byte[] encoded in all)
        {
            PlainHdrHistogram<ulong> histogram = HdrHistogramEncoding.Decode(encoded);
            Of(histogram).Should().Equal((0, 1), (5, (ulong)largest), (32, 2), (34, 3));
            (histogram.BlockSize, histogram.MaxTrackableValue).Should().Be((16, 1000));
        }
    }

    /// <summary>The Rust library writes the largest 64-bit number as the highest value.</summary>
    [Fact]
    public void A_highest_value_above_2_to_the_63_is_read()
    {
        PlainHdrHistogram<ulong> histogram = HdrHistogramEncoding.Decode(OfNumbers(3, 1, -1, -5, 7));
        histogram.MaxTrackableValue.Should().Be(ulong.MaxValue);
        Of(histogram).Should().Equal((5, 7));
        HdrHistogramEncoding.Decode(OfNumbers(3, 1, long.MinValue, 1)).MaxTrackableValue.Should().Be(1UL << 63);
    }

    [Theory]
    [InlineData(3, 1)]
    [InlineData(3, 7)]
    [InlineData(2, 20_000)]
    [InlineData(1, 1L << 57)]
    [InlineData(5, 1L << 44)]
    public void The_lowest_value_is_the_unit_after_decoding_and_encoding(int digits, long lowest)
    {
        byte[] encoded = OfNumbers(digits, lowest, long.MaxValue, 3, -4, 5);
        PlainHdrHistogram<ulong> histogram = HdrHistogramEncoding.Decode(encoded);
        ulong unit = 1UL << (int)long.Log2(lowest);

        histogram.LowestDiscernibleValue.Should().Be(unit);
        histogram.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Step, bucket.Count))
            .Should().Equal((0, unit, 3), (5 * unit, unit, 5));
        HdrHistogramEncoding.Encode(histogram).Should().Equal(OfNumbers(digits, (long)unit, long.MaxValue, 3, -4, 5));
    }

    [Fact]
    public void A_histogram_with_0_digits_and_the_largest_possible_unit_is_read()
    {
        PlainHdrHistogram<ulong> histogram = HdrHistogramEncoding.Decode(OfNumbers(0, 1L << 61, long.MaxValue, 0, 4));
        histogram.TotalCount.Should().Be(4);
        histogram.GetCountBetween(1UL << 61, (1UL << 62) - 1).Should().Be(4);
        histogram.OverflowCount.Should().Be(0);
    }

    [Fact]
    public void Runs_of_zeros_are_skipped_one_by_one_or_at_once()
    {
        Of(HdrHistogramEncoding.Decode(OfNumbers(1, 1, 1000, 0, 7, 0, 0, 8, -3, 9, -1, 10))).Should().Equal((1, 7), (4, 8), (8, 9), (10, 10));

        // Two adjacent runs, and zeros up to the end of the layout: 7 blocks of 16 end at 1023.
        Of(HdrHistogramEncoding.Decode(OfNumbers(1, 1, 1000, -60, -51, 1))).Should().Equal((992, 1));
        Of(HdrHistogramEncoding.Decode(OfNumbers(1, 1, 1000, 4, -111))).Should().Equal((0, 4));
        Of(HdrHistogramEncoding.Decode(OfNumbers(1, 1, 1000))).Should().BeEmpty();
    }

    [Fact]
    public void Data_after_a_histogram_is_ignored()
    {
        byte[] more = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        long[] all = new long[112];
        all[5] = 3;
        byte[][] histograms =
        [
            OfNumbers(1, 1, 1000, -5, 3), Compressed(OfNumbers(1, 1, 1000, -5, 3)), OfPayload(CookieOf(V1Base, 2), 1, 1, 1000, Words(2, all)),
            V0(2, 1, 1, 1000, Words(2, all)),
        ];
        foreach (byte[] encoded in histograms)
        {
            Of(HdrHistogramEncoding.Decode([.. encoded, .. more])).Should().Equal((5, 3));
        }
    }

    [Fact]
    public void Counts_above_the_highest_value_within_its_block_are_kept()
    {
        // 600 is in the block from 512 to 1023, whose buckets are 32 wide. The last of the 112 buckets starts at 992.
        foreach (byte[] inflated in new[] { OfNumbers(1, 1, 600, 2, -110, 3), OfNumbers(1, 1, 600, 2, -109, 0, 3) })
        {
            foreach (byte[] encoded in new[] { inflated, Compressed(inflated) })
            {
                PlainHdrHistogram<ulong> histogram = HdrHistogramEncoding.Decode(encoded);
                Of(histogram).Should().Equal((0, 2), (992, 3));
                histogram.OverflowCount.Should().Be(0);
                histogram.MaxTrackableValue.Should().BeInRange(992, 1023);
            }
        }

        // A count within the range does not widen it.
        HdrHistogramEncoding.Decode(OfNumbers(1, 1, 600, -98, 1)).MaxTrackableValue.Should().Be(600);
    }

    [Fact]
    public void Zero_digits_are_decoded_into_finer_buckets()
    {
        // The buckets are 0, 1, 2-3, 4-7, 8-15.
        PlainHdrHistogram<ulong> histogram = HdrHistogramEncoding.Decode(OfNumbers(0, 1, 1000, 1, 2, 3, 4, 5));
        Of(histogram).Should().Equal((0, 1), (1, 2), (3, 3), (6, 4), (12, 5));
        Of(HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(histogram))).Should().Equal(Of(histogram));
    }

    [Fact]
    public void The_highest_range_and_digits_are_read()
    {
        foreach (int digits in new[] { 0, 1, 5 })
        {
            int scale = digits switch { 0 => 0, 1 => 4, _ => 17 };
            int last = ((64 - scale) << scale) - 1; // the last bucket of the blocks up to 2^63-1
            PlainHdrHistogram<ulong> histogram = HdrHistogramEncoding.Decode(OfNumbers(digits, 1, long.MaxValue, -last, long.MaxValue));
            histogram.TotalCount.Should().Be(long.MaxValue);
            if (digits == 0)
            {
                // A bucket of 0 digits becomes several of 1 digit, with half of the count below its midpoint and half above.
                histogram.GetBucket((3UL << 61) - 1).Count.Should().Be(long.MaxValue / 2);
                histogram.GetBucket(3UL << 61).Count.Should().Be((long.MaxValue / 2) + 1);
            }
            else
            {
                histogram.GetBucket(long.MaxValue).Count.Should().Be(long.MaxValue);
            }
        }
    }

    [Theory]
    [InlineData(0x0c72124e)]
    [InlineData(0x0c72124f)]
    public void Doubles_are_rejected(uint cookie) => OfPayload(cookie, 3, 1, 1000, [0])
        .Invoking(each => HdrHistogramEncoding.Decode(each)).Should().Throw<HdrHistogramFormatException>().WithMessage("A histogram of doubles*(at byte 0)");

    [Theory]
    [InlineData("HISTFAAAAC", "it is base64 text*Convert.FromBase64String*HdrHistogramLogReader*")]
    [InlineData("HISTEwAAAA", "it is base64 text*"), InlineData("<html>", "it is text, \"<htm\"*")]
    [InlineData("#[StartTime: 5 x]", "it is text, \"#[St\"*HdrHistogramLogReader*")]
    [InlineData("\u001f\u008b\u0008\u0000", "it is gzip data*decompress it*")]
    [InlineData("\u0000\u0001\u0002\u0003", "its cookie is 0x00010203*")]
    public void The_message_describes_data_that_is_not_a_histogram(string data, string seen) => System.Text.Encoding.Latin1.GetBytes(data)
        .Invoking(each => HdrHistogramEncoding.Decode(each)).Should().Throw<HdrHistogramFormatException>()
        .WithMessage($"This is not an encoded histogram: {seen}(at byte 0)");

    private static IEnumerable<(ulong Start, ulong Count)> Of(ReadOnlyHdrHistogram histogram) =>
        histogram.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Count));
}
