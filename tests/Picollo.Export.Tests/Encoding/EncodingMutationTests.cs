using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using Picollo.Metrics;
using Xunit.Abstractions;
using static Picollo.Export.Tests.RawEncoding;

namespace Picollo.Export.Tests;

/// <summary>Encoded histograms with some bytes changed, cut, repeated or swapped; PICOLLO_FUZZ tells how many.</summary>
public class EncodingMutationTests(ITestOutputHelper output)
{
    private const string Switch = "PICOLLO_FUZZ";
    private const int DefaultCases = 20_000;

    // Of zlib and of the decoder.
    private const int ConstantBytes = 200_000;

    // What the largest layout there is takes.
    private const long LargestBytes = 50_000_000;

    [Fact]
    public void A_mutated_histogram_is_refused_or_is_one_that_comes_back_as_it_is()
    {
        int cases = int.TryParse(Environment.GetEnvironmentVariable(Switch), CultureInfo.InvariantCulture, out int number) ? number : DefaultCases;
        int refused = 0;
        long most = 0;
        TimeSpan longest = TimeSpan.Zero;
        var whole = Stopwatch.StartNew();
        Seeded.Run(cases, random =>
        {
            byte[] mutated = Mutate(Next(random), random);
            long before = GC.GetAllocatedBytesForCurrentThread();
            long start = Stopwatch.GetTimestamp();
            PlainHdrHistogram<ulong>? histogram = null;
            try
            {
                histogram = HdrHistogramEncoding.Decode(mutated);
            }
            catch (HdrHistogramFormatException e)
            {
                refused++;
                if (e.Offset < 0 || e.Line is not null)
                {
                    throw new InvalidOperationException($"An offset of {e.Offset} in {Convert.ToHexString(mutated)}");
                }
            }

            TimeSpan time = Stopwatch.GetElapsedTime(start);
            longest = time > longest ? time : longest;
            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            most = Math.Max(most, allocated);
            if (allocated > Math.Min((2 * (histogram?.FootprintInBytes ?? LargestBytes)) + ConstantBytes, (2 * LargestBytes) + ConstantBytes))
            {
                throw new InvalidOperationException($"{allocated} bytes allocated for {Convert.ToHexString(mutated)}");
            }

            if (histogram is not null)
            {
                ComesBack(histogram, mutated);
            }
        });
        output.WriteLine(
            $"{cases} mutated histograms in {whole.Elapsed.TotalSeconds:F1} s: {refused} refused, {cases - refused} valid; at most {longest.TotalMilliseconds:F1} ms and {most:N0} bytes for one");

        // Both ways out are taken, or the mutations are too wild or too tame.
        refused.Should().BeInRange(cases / 10, cases * 99 / 100);
    }

    private static void ComesBack(PlainHdrHistogram<ulong> histogram, byte[] mutated)
    {
        if (histogram.TotalCount > long.MaxValue || histogram.BucketsWithValues.LastOrDefault().Start > long.MaxValue)
        {
            histogram.Invoking(HdrHistogramEncoding.Encode).Should().Throw<ArgumentException>();
            return;
        }

        byte[] encoded = HdrHistogramEncoding.Encode(histogram);
        PlainHdrHistogram<ulong> again = HdrHistogramEncoding.Decode(encoded);
        // A range past 2^63-1 ends at the largest value.
        bool same = again.Layout == histogram.Layout
            && (histogram.MaxTrackableValue > long.MaxValue || again.MaxTrackableValue == histogram.MaxTrackableValue)
            && (histogram.MaxTrackableValue > long.MaxValue || again.Length == histogram.Length)
            && again.BucketsWithValues.SequenceEqual(histogram.BucketsWithValues)
            && histogram.OverflowCount == 0;
        if (!same || !HdrHistogramEncoding.Encode(again).AsSpan().SequenceEqual(encoded))
        {
            throw new InvalidOperationException($"Not itself again: {Convert.ToHexString(mutated)}");
        }
    }

    /// <summary>A histogram of any version. Few are large: the layouts' memory would take all the time.</summary>
    private static byte[] Next(Random random)
    {
        int digits = random.Next(200) == 0 ? random.Next(6) : random.Next(4);
        long lowest = random.Next(4) == 0 ? 1 + random.Next(5000) : 1;
        long highest = Math.Max(2 * lowest, random.NextInt64(long.MaxValue) >> random.Next(20, 62));
        long[] counts = [.. Enumerable.Range(0, random.Next(1, 30)).Select(_ => random.Next(4) == 0 ? 0 : random.NextInt64(long.MaxValue) >> random.Next(6, 63))];
        int wordSize = 2 << random.Next(3);
        switch (random.Next(6))
        {
            case 0: return V0(wordSize, digits, lowest, highest, Words(wordSize, counts));
            case 1: return OfPayload(CookieOf(V1Base, wordSize), digits, lowest, highest, Words(wordSize, counts));
            case 2: return Compressed(V0(wordSize, digits, lowest, highest, Words(wordSize, counts)), CookieOf(V0CompressedBase, wordSize));
            default:
                // Zeros as their negative number.
                byte[] v2 = OfNumbers(digits, lowest, highest, [.. counts.Select(count => random.Next(4) == 0 ? -1 - (count % 50) : count)]);
                return random.Next(2) == 0 ? v2 : Compressed(random.Next(2) == 0 ? v2 : Mutate(v2, random));
        }
    }

    private static byte[] Mutate(byte[] encoded, Random random)
    {
        byte[] bytes = [.. encoded];
        for (int n = random.Next(1, 4); n > 0 && bytes.Length > 0; n--)
        {
            // Half of the time in what follows the header.
            int at = random.Next(2) == 0 || bytes.Length < 41 ? random.Next(bytes.Length) : random.Next(40, bytes.Length);
            switch (random.Next(9))
            {
                case 0: bytes[at] ^= (byte)(1 << random.Next(8)); break;
                case 1: bytes[at] = (byte)random.Next(256); break;
                case 2: bytes[at] = random.Next(2) == 0 ? (byte)0xff : (byte)0; break;
                case 3: bytes = bytes[..at]; break;
                case 4: bytes = [.. bytes[..at], .. bytes[Math.Min(bytes.Length, at + random.Next(1, 10))..]]; break;
                case 5: bytes = [.. bytes[..at], (byte)random.Next(256), .. bytes[at..]]; break;
                case 6: bytes = [.. bytes, .. bytes[at..]]; break;
                case 7: random.NextBytes(bytes.AsSpan(at, Math.Min(8, bytes.Length - at))); break;
                default:
                    // A field of a header, of a length that is right with the rest or near its limits.
                    if (bytes.Length >= 8)
                    {
                        int[] likely = [bytes.Length - 40, bytes.Length - 8, int.MaxValue, int.MinValue, -1, 0, random.Next()];
                        BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(4), likely[random.Next(likely.Length)]);
                    }

                    break;
            }
        }

        return bytes;
    }
}
