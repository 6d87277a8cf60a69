using static Picollo.Export.Tests.RawEncoding;

namespace Picollo.Export.Tests;

/// <summary>Compares the bytes of an encoded histogram with those of a slow and obvious encoder.</summary>
public class EncodedBytesTests
{
    private const int HeaderLength = 40;

    // Values around the limits of one and two bytes, for a count and for a run of zeros, and around the length of a block.
    private static readonly long[] Lengths = [0, 1, 2, 3, 63, 64, 65, 127, 128, 1022, 1023, 1024, 1025, 2048, 7168, 7169, 8191, 8192, 8193];
    private static readonly long[] Counts = [1, 2, 62, 63, 64, 65, 127, 128, 4095, 4096, 8190, 8191];
    private static readonly long[] LargeCounts = [8192, 65_535, 65_536, 65_537, uint.MaxValue, 1L << 32, (1L << 32) + 1, 1L << 48];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Runs_and_counts_of_every_length_are_encoded_as_in_the_HdrHistogram_libraries(bool withLarge) => Seeded.Run(300, random =>
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(3_600_000_000_000).WithUInt64Storage().Create();
        List<long> numbers = [];
        int longestRun = random.Next(1, Lengths.Length + 1);
        for (long index = 0, zeros = 0; index < histogram.Length; index += zeros)
        {
            zeros = random.Next(8) == 0 ? Lengths[random.Next(longestRun)] : random.Next(4);
            if (index + zeros >= histogram.Length)
            {
                break;
            }

            if (zeros > 0)
            {
                numbers.Add(zeros == 1 ? 0 : -zeros);
                index += zeros;
            }

            long[] counts = withLarge && random.Next(500) == 0 ? LargeCounts : Counts;
            long count = counts[random.Next(counts.Length)];
            numbers.Add(count);
            histogram.Record(histogram.Layout.StartOf(histogram.FirstIndex + (uint)index), (ulong)count);
            zeros = 1;
        }

        byte[] expected = [.. numbers.SelectMany(Leb128)];
        Convert.ToHexString(HdrHistogramEncoding.Encode(histogram).AsSpan(HeaderLength)).Should().Be(Convert.ToHexString(expected));
    });
}
