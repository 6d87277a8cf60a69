using static Picollo.Export.Tests.RawEncoding;

namespace Picollo.Export.Tests;

/// <summary>Damaged and malicious data is rejected with the position of the error, and needs little memory.</summary>
public class HostileEncodingTests
{
    private const int HeaderLength = 40;

    // The buffers of a decoder, including those of zlib.
    private const int ConstantBytes = 200_000;

    [Theory]
    [InlineData(-1)]
    [InlineData(6)]
    [InlineData(int.MaxValue)]
    [InlineData(int.MinValue)]
    public void Invalid_digits_are_rejected(int digits)
    {
        Rejected(OfNumbers(digits, 1, 1000, 1), 12, "*significant digits is*; it must be 0 to 5*");
        Rejected(V0(2, digits, 1, 1000, [0, 1]), 4, "*significant digits*");
    }

    [Theory]
    [InlineData(0, 1000, 16, "The lowest discernible value is 0; it must be at least 1*")]
    [InlineData(long.MinValue, 1000, 16, "The lowest discernible value*")]
    [InlineData(1L << 59, long.MaxValue, 16, "*leaves no room for 3 significant digits*")]
    [InlineData(501, 1000, 24, "The highest trackable value 1000 must be at least twice the lowest discernible value 501*")]
    [InlineData(1, 1, 24, "The highest trackable value*"), InlineData(1, 0, 24, "The highest trackable value*")]
    public void An_invalid_range_is_rejected(long lowest, long highest, int offset, string message)
    {
        Rejected(OfNumbers(3, lowest, highest, 1), offset, message);
        Rejected(V0(8, 3, lowest, highest, []), offset - 8, message);
        Rejected(Compressed(OfNumbers(3, lowest, highest, 1)), offset, message);
    }

    [Fact]
    public void Lengths_beyond_the_data_are_rejected()
    {
        byte[] payload = Leb128(1);
        Rejected(OfPayload(V2, 3, 1, 1000, payload, int.MaxValue), HeaderLength + 1, "*truncated*");
        Rejected(OfPayload(V2, 3, 1, 1000, payload, 2), HeaderLength + 1, "*truncated*");
        Rejected(OfPayload(V2, 3, 1, 1000, payload, -1), 4, "The payload length is -1*");
        Rejected(OfPayload(V2, 3, 1, 1000, payload, int.MinValue), 4, "The payload length*");
        Rejected(Compressed(OfPayload(V2, 3, 1, 1000, payload, int.MaxValue)), HeaderLength + 1, "*truncated*");
        Rejected(Compressed(OfPayload(V2, 3, 1, 1000, payload, -1)), 4, "The payload length is -1*");
        byte[] compressed = Compressed(OfNumbers(3, 1, 1000, 1));
        Rejected(Compressed(OfNumbers(3, 1, 1000, 1), length: int.MaxValue), compressed.Length, "*truncated*");
        Rejected(Compressed(OfNumbers(3, 1, 1000, 1), length: -5), 4, "The compressed length is -5*");
    }

    [Fact]
    public void Counts_outside_the_layout_are_rejected_at_their_position()
    {
        // One digit up to 1000 has 112 buckets.
        Decode(OfNumbers(1, 1, 1000, -111, 1)).TotalCount.Should().Be(1);
        Rejected(OfNumbers(1, 1, 1000, -112, 1), HeaderLength + 2, "The data has more counts than the 112*");
        Rejected(OfNumbers(1, 1, 1000, -113), HeaderLength, "The data has more counts than the 112*");
        Rejected(OfNumbers(1, 1, 1000, -100, 1, -12), HeaderLength + 3, "The data has more counts than the 112*");
        Rejected(OfNumbers(1, 1, 1000, -int.MaxValue, 1), HeaderLength, "The data has more counts than the 112*");
        Rejected(OfNumbers(1, 1, 1000, -int.MaxValue - 1L, 1), HeaderLength, "The count -2147483648 is out of range*");
        Rejected(OfNumbers(1, 1, 1000, 1, long.MinValue, 1), HeaderLength + 1, "The count -9223372036854775808 is out of range*");
        Rejected(OfPayload(V2, 1, 1, 1000, new byte[113]), HeaderLength + 112, "The data has more counts than the 112*");
        foreach (int size in new[] { 2, 4, 8 })
        {
            Rejected(V0(size, 1, 1, 1000, Words(size, 1, -2, 1)), 32 + size, "The count -2 is out of range*");
            Rejected(OfPayload(CookieOf(V1Base, size), 1, 1, 1000, Words(size, 1, -2, 1)), HeaderLength + size, "The count -2 is out of range*");
        }
    }

    [Fact]
    public void A_sum_above_2_to_the_64_is_rejected_at_its_position()
    {
        Decode(OfNumbers(1, 1, 1000, long.MaxValue, long.MaxValue, 1)).TotalCount.Should().Be(ulong.MaxValue);
        Rejected(OfNumbers(1, 1, 1000, long.MaxValue, long.MaxValue, 1, 0, 1), HeaderLength + 20, "The counts add up to 2^64 or more*");
        Rejected(OfNumbers(1, 1, 1000, long.MaxValue, long.MaxValue, long.MaxValue), HeaderLength + 18, "The counts add up*");
        Rejected(OfPayload(CookieOf(V1Base, 8), 1, 1, 1000, Words(8, long.MaxValue, long.MaxValue, 2)), HeaderLength + 16, "The counts add up*");
    }

    [Fact]
    public void Truncated_data_is_rejected_at_its_end()
    {
        byte[] v2 = OfNumbers(3, 1, 1_000_000, -5, 1, -500, 1000, long.MaxValue / 2, 1);
        byte[][] whole =
        [
            v2, OfPayload(CookieOf(V1Base, 2), 1, 1, 1000, Words(2, 1, 2, 3)), OfPayload(CookieOf(V1Base, 8), 1, 1, 1000, Words(8, 1, 2, 3)), Compressed(v2),
        ];
        foreach (byte[] encoded in whole)
        {
            Decode(encoded).TotalCount.Should().BePositive();
            for (int length = 0; length < encoded.Length; length++)
            {
                Rejected(encoded[..length], length, "The encoded histogram is truncated*");
            }
        }

        // Truncation of the data before compression, with the correct compressed length.
        Rejected(Compressed([]), 8, "The encoded histogram is truncated*");
        for (int length = 1; length < v2.Length; length++)
        {
            Rejected(Compressed(v2[..length]), length, "The encoded histogram is truncated*");
        }

        // The header of V0 has no length, so truncation is detected only within a word.
        byte[] v0 = V0(4, 1, 1, 1000, Words(4, 1, 2, 3));
        for (int length = 0; length < v0.Length; length++)
        {
            if (length >= 32 && length % 4 == 0)
            {
                Decode(v0[..length]).TotalCount.Should().Be((ulong)(((length / 4) - 8) switch { 0 => 0, 1 => 1, _ => 3 }));
            }
            else
            {
                Rejected(v0[..length], length, "The encoded histogram is truncated*");
                Rejected(Compressed(v0[..length], CookieOf(V0CompressedBase, 4)), length == 0 ? 8 : length, "The encoded histogram is truncated*");
            }
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_partial_checksum_is_rejected(int missing)
    {
        byte[] v0 = V0(2, 1, 1, 1000, Words(2, 1, 2, 3));
        foreach ((byte[] inflated, uint cookie) in new[] { (OfNumbers(3, 1, 1_000_000, -5, 1, -500, 1000), V2Compressed), (v0, CookieOf(V0CompressedBase, 2)) })
        {
            byte[] encoded = Compressed(inflated, cookie);
            Decode(encoded).TotalCount.Should().BePositive();
            byte[] shortened = Compressed(inflated, cookie, length: encoded.Length - 8 - missing);
            Rejected(shortened, 8, "The compressed data is truncated in its checksum*");
            Rejected(shortened[..^missing], 8, "The compressed data is truncated in its checksum*");
        }
    }

    /// <summary>HdrHistogram.NET writes such logs.</summary>
    [Fact]
    public void A_stream_without_a_checksum_is_accepted_if_its_data_is_complete()
    {
        byte[] inflated = OfNumbers(3, 1, 1_000_000, [.. Enumerable.Range(1, 500).Select(i => (long)(i * 7919 % 1000))]);
        byte[] encoded = Compressed(inflated);
        int length = encoded.Length - 8 - 4;
        byte[] bare = Compressed(inflated, length: length);
        Decode(bare).BucketsWithValues.Should().Equal(Decode(encoded).BucketsWithValues, "data after the stream is ignored");
        Decode(bare[..^4]).BucketsWithValues.Should().Equal(Decode(encoded).BucketsWithValues);

        // Each shorter stream is truncated in its data, even if all counts can be read.
        for (int shorter = 1; shorter < length; shorter++)
        {
            byte[] cut = Compressed(inflated, length: length - shorter);
            cut.Invoking(each => Decode(each)).Should().Throw<HdrHistogramFormatException>("{0} bytes are missing", shorter);
        }
    }

    [Fact]
    public void A_damaged_checksum_or_stream_is_rejected()
    {
        byte[] encoded = Compressed(OfNumbers(3, 1, 1_000_000, [.. Enumerable.Range(1, 500).Select(i => (long)(i * 7919 % 1000))]));
        Decode(encoded).TotalCount.Should().BePositive();
        for (int i = encoded.Length - 4; i < encoded.Length; i++)
        {
            byte[] damaged = [.. encoded];
            damaged[i] ^= 1;
            Rejected(damaged, 8, "The compressed data is damaged*");
        }

        // Data that is not zlib, an unknown method, and a stream that needs a dictionary.
        Rejected([.. encoded[..8], 0, 0, .. encoded[10..]], 8, "The compressed data is damaged*");
        Rejected([.. encoded[..8], 0x79, 0x01, .. encoded[10..]], 8, "The compressed data is damaged*");
        Rejected([.. encoded[..8], 0x78, 0x20, .. encoded[10..]], 8, "The compressed data is damaged*");

        // A flipped bit anywhere is an error of zlib or of the decoded data, because of the checksum.
        for (int i = 10; i < encoded.Length; i++)
        {
            byte[] damaged = [.. encoded];
            damaged[i] ^= 0x10;
            damaged.Invoking(each => Decode(each)).Should().Throw<HdrHistogramFormatException>("byte {0} is damaged", i);
        }
    }

    [Theory]
    [InlineData(2)] // read together with the header
    [InlineData(20_000)] // more than a buffer
    public void Compressed_data_after_the_payload_is_rejected(int counts)
    {
        byte[] inflated = OfNumbers(5, 1, 1_000_000, [.. Enumerable.Repeat(1L, counts)]);
        Decode(Compressed(inflated)).TotalCount.Should().Be((ulong)counts);
        Rejected(Compressed([.. inflated, 0]), HeaderLength + counts, "The compressed data continues after the histogram*");
    }

    [Fact]
    public void An_unknown_cookie_is_reported()
    {
        foreach (uint cookie in (uint[])[0u, uint.MaxValue, V1Base, CookieOf(V1Base, 6), V0Base, CookieOf(V0Base, 10), V2 & ~0xf0u, 0x1c849300])
        {
            Rejected(OfPayload(cookie, 3, 1, 1000, [0]), 0, $"This is not an encoded histogram: its cookie is 0x{cookie:x8}*");
        }

        // Compressed twice.
        Rejected(Compressed(Compressed(OfNumbers(3, 1, 1000, 1))), 0, "This is not an encoded histogram: its cookie is 0x1c849314*");
    }

    [Fact]
    public void A_decompression_bomb_takes_only_the_memory_of_its_layout()
    {
        // 100 MB of zeros, each a separate number, in 100 KB, with a layout of 112 buckets.
        byte[] zeros = Compressed(OfPayload(V2, 1, 1, 1000, new byte[100_000_000]));
        zeros.Length.Should().BeLessThan(200_000);
        AllocatedBy(() => Rejected(zeros, HeaderLength + 112, "The data has more counts than*")).Should().BeLessThan(ConstantBytes);

        // Zeros instead of a header, and after a histogram.
        byte[] header = Compressed(new byte[50_000_000]);
        AllocatedBy(() => Rejected(header, 0, "This is not an encoded histogram*")).Should().BeLessThan(ConstantBytes);
        byte[] trailing = Compressed([.. OfNumbers(1, 1, 1000, 1), .. new byte[50_000_000]]);
        AllocatedBy(() => Rejected(trailing, HeaderLength + 1, "The compressed data continues*")).Should().BeLessThan(ConstantBytes);
    }

    [Fact]
    public void Damaged_data_does_not_allocate_its_layout()
    {
        // One count in each octave of 5 digits: 48 MB of counters in 200 bytes.
        const int Octave = 1 << 17;
        long[] numbers = [.. Enumerable.Repeat(0, 46).SelectMany(_ => new[] { 1, 1L - Octave })];
        byte[] whole = OfNumbers(5, 1, long.MaxValue, numbers), compressed = Compressed(whole), flipped = [.. compressed];
        flipped[^1] ^= 1;
        (byte[] Data, string Message)[] all =
        [
            (whole[..^1], "*truncated*"),
            (OfNumbers(5, 1, long.MaxValue, [.. numbers, -2 * Octave]), "*more counts than*"),
            (OfNumbers(5, 1, long.MaxValue, [.. numbers, long.MinValue]), "*out of range*"),
            (OfNumbers(5, 1, long.MaxValue, [.. numbers, long.MaxValue, long.MaxValue]), "*add up to 2^64*"),
            (OfNumbers(4, 1, long.MaxValue, [.. numbers.Select(number => Math.Max(number, -10_000)), long.MinValue]), "*out of range*"),
            (Compressed(whole[..^1]), "*truncated*"),
            (Compressed([.. whole, 0]), "*continues after the histogram*"),
            (Compressed(whole, length: compressed.Length - 9), "*truncated*"),
            (flipped, "*damaged*"),
        ];
        foreach ((byte[] data, string message) in all)
        {
            AllocatedBy(() => data.Invoking(each => Decode(each)).Should().Throw<HdrHistogramFormatException>().WithMessage(message))
                .Should().BeLessThan(2 * ConstantBytes, message);
        }

        foreach (byte[] valid in new[] { whole, compressed })
        {
            Decode(valid).BucketsWithValues.Select(bucket => bucket.StorageIndex)
                .Should().Equal(Enumerable.Range(0, 46).Select(i => i * Octave));
        }
    }

    private static PlainHdrHistogram<ulong> Decode(byte[] encoded) => HdrHistogramEncoding.Decode(encoded);

    private static void Rejected(byte[] encoded, long offset, string message)
    {
        HdrHistogramFormatException error = Assert.Throws<HdrHistogramFormatException>(() => Decode(encoded));
        error.Message.Should().Match(message);
        error.Message.Should().EndWith($" (at byte {offset})");
        (error.Offset, error.Line).Should().Be((offset, null));
    }

    private static long AllocatedBy(Action action)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        action();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
