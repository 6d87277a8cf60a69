using System.Text.Json;
using Picollo.Export;
using Picollo.Metrics;
using static Picollo.Export.Tests.RawEncoding;
using static Picollo.Fuzz.Tests.FuzzTargets;

namespace Picollo.Fuzz.Tests;

/// <summary>Histograms in the formats of the HdrHistogram libraries, and in JSON.</summary>
internal static class HistogramTargets
{
    private const int ConstantBytes = 300_000; // for zlib, the decoder, and an exception

    // Twice the size of the largest layout.
    private const int LargestBytes = 100_000_000;

    public static FuzzTarget[] All { get; } =
    [
        new("encoding", () => [.. Encodings, .. Encodings.Select(seed => Compress(seed.Bytes)).Select(bytes => new FuzzSeed(bytes, (0, 8)))], Decode)
        {
            Documented = [typeof(HdrHistogramFormatException)],
            ConstantBytes = ConstantBytes + (5L * LargestBytes), // Decode checks the allocation of decoding separately
            Count = 2000,
        },
        new("compressed-encoding", () => Encodings, input => Decode(Compress(input)))
        {
            Documented = [typeof(HdrHistogramFormatException)],
            ConstantBytes = ConstantBytes + (5L * LargestBytes),
            Count = 2000,
        },
        new("hlog", () => [.. Logs], ReadLog)
        {
            Documented = [typeof(HdrHistogramFormatException)],
            ConstantBytes = 5L * LargestBytes,
            BytesPerByte = 20_000, // 10 MB of a histogram in 100 bytes
            Count = 200,
        },
        new("hgrm", () => [.. Distributions], ReadDistribution) { Documented = [typeof(HdrHistogramFormatException)] },
        new("histogram-json", () => [.. Jsons], ReadJson)
        {
            Documented = [typeof(JsonException)],
            ConstantBytes = ConstantBytes + LargestBytes,
        },
    ];

    private static IReadOnlyList<FuzzSeed> Encodings =>
    [
        .. new byte[][]
        {
            OfNumbers(3, 1, 3_600_000_000, -100, 5, 1, -3, 7, 100_000, 12),
            OfNumbers(0, 1, 2, 1), OfNumbers(2, 1000, 1_000_000, 3, -20, long.MaxValue / 4), OfNumbers(5, 1, 10_000_000, -500, 1), OfNumbers(5, 1, 1L << 40, -500_000, 1),
            OfPayload(CookieOf(V1Base, 2), 1, 1, 1000, Words(2, 1, 0, 2, 3)), OfPayload(CookieOf(V1Base, 8), 2, 1, 100_000, Words(8, 1, 2, 0, 300)),
            V0(2, 1, 1, 1000, Words(2, 1, 2, 3)), V0(4, 2, 1, 1000, Words(4, 1, 2, 0, 3)), V0(8, 3, 1, 1000, Words(8, 1, 2, 3)),
            HdrHistogramEncoding.Encode(Some()),
        }.Select(bytes => new FuzzSeed(bytes, (0, 40))),
    ];

    private static IEnumerable<FuzzSeed> Logs
    {
        get
        {
            foreach (string path in Directory.EnumerateFiles(InRepository("tests", "Picollo.Export.Tests", "Logs", "Data"), "*.hlog").Order(StringComparer.Ordinal))
            {
                // The comments and the first intervals.
                string text = string.Concat(File.ReadLines(path).Take(12).Select(line => line + "\n"));
                yield return FuzzSeed.Of(text);
                yield return new([.. System.Text.Encoding.Unicode.Preamble, .. System.Text.Encoding.Unicode.GetBytes(text)]);
            }

            string histogram = Convert.ToBase64String(HdrHistogramEncoding.EncodeCompressed(Some()));
            yield return FuzzSeed.Of($"#[StartTime: 1441812279.474 (seconds since epoch), x]\n#[BaseTime: 0.25 x]\nTag=a,0.5,1,3,{histogram}\r1e0 2 3 {histogram}\n");
            yield return FuzzSeed.Of($"#[StartTime: 1441812279,474 (seconds since epoch), x]\n0,127,1,007,2,769,{histogram}\nTag=a,-1,5,0,999,0,442,{histogram}\n");
        }
    }

    /// <summary>Distributions and logs in the formats of other programs.</summary>
    private static IEnumerable<FuzzSeed> ForeignInputs =>
        Files([.. Directory.EnumerateFiles(InRepository("tests", "Picollo.Cli.Tests", "Hist", "Inputs"), "*.*").Order(StringComparer.Ordinal)]);

    private static IEnumerable<FuzzSeed> Distributions
    {
        get
        {
            using StringWriter text = new(), csv = new();
            PercentileDistribution.Write(Some(), text);
            PercentileDistribution.WriteCsv(Some(), csv);
            return [FuzzSeed.Of(text.ToString()), FuzzSeed.Of("\ufeff" + csv), .. ForeignInputs];
        }
    }

    private static IEnumerable<FuzzSeed> Jsons
    {
        get
        {
            HdrHistogramSnapshot snapshot = Some().GetSnapshot();
            return
            [
                FuzzSeed.Of(JsonSerializer.Serialize(snapshot)), FuzzSeed.Of(JsonSerializer.Serialize(Some().GetSummary())),
                FuzzSeed.Of(JsonSerializer.Serialize(Some().GetPercentile(99))), FuzzSeed.Of(JsonSerializer.Serialize(Some().Buckets.First())),
            ];
        }
    }

    private static HdrHistogram Some()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(2).WithMaxTrackableValue(1_000_000).Create();
        histogram.Record([1, 10, 10, 500, 12_345, 999_999]);
        return histogram;
    }

    private static long Decode(byte[] input)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        PlainHdrHistogram<ulong> histogram;
        try
        {
            histogram = HdrHistogramEncoding.Decode(input);
        }
        catch (HdrHistogramFormatException e)
        {
            Check(e.Offset >= 0 && e.Line is null, "The position of the error is missing.");
            long limit = ConstantBytes + (2 * Math.Max(1 << 20, 64L * input.Length)); // twice: values above the highest trackable value
            Check(GC.GetAllocatedBytesForCurrentThread() - before <= limit, "Decoding damaged data allocates too much.");
            throw;
        }

        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Check(allocated <= (2 * histogram.FootprintInBytes) + ConstantBytes, "Decoding allocates more than twice the histogram.");
        Check(HdrHistogramEncoding.TryDecode(input, out _, out _), "TryDecode does not accept what Decode does.");
        CheckRoundTrip(histogram);
        return (long)Math.Min(histogram.TotalCount, long.MaxValue);
    }

    /// <summary>Encodes and decodes a decoded histogram again. The result must be equal.</summary>
    private static void CheckRoundTrip(PlainHdrHistogram<ulong> histogram)
    {
        if (histogram.TotalCount > long.MaxValue || histogram.BucketsWithValues.LastOrDefault().Start > long.MaxValue)
        {
            Assert.Throws<ArgumentException>(() => HdrHistogramEncoding.Encode(histogram));
            return;
        }

        byte[] encoded = HdrHistogramEncoding.Encode(histogram);
        PlainHdrHistogram<ulong> again = HdrHistogramEncoding.Decode(encoded);
        // A range above 2^63-1 ends at the largest value.
        bool isSameRange = histogram.MaxTrackableValue > long.MaxValue
            || (again.MaxTrackableValue == histogram.MaxTrackableValue && again.Length == histogram.Length);
        Check(
            isSameRange && again.Layout == histogram.Layout && histogram.OverflowCount == 0 && again.BucketsWithValues.SequenceEqual(histogram.BucketsWithValues)
                && HdrHistogramEncoding.Encode(again).AsSpan().SequenceEqual(encoded),
            "The histogram differs after it was encoded and decoded.");
    }

    /// <summary>Compresses data and adds the cookie of its version; that of V2 if it has none.</summary>
    private static byte[] Compress(byte[] inflated)
    {
        uint cookie = inflated.Length < 4 ? V2 : System.Buffers.Binary.BinaryPrimitives.ReadUInt32BigEndian(inflated);
        return Compressed(inflated, (cookie & ~0xF0u) switch
        {
            V0Base & ~0xF0u => cookie - V0Base + V0CompressedBase,
            V1Base & ~0xF0u => cookie - V1Base + V1CompressedBase,
            _ => V2Compressed,
        });
    }

    private static long ReadLog(byte[] input)
    {
        List<string> first = [], second = [];
        HdrHistogramFormatException? error = ReadAll(first);
        ReadAll(second);
        Check(first.SequenceEqual(second), "The log differs when it is read again.");
        return error is null ? first.Count : throw error;

        // Each error concerns one line, and the next call continues after it.
        HdrHistogramFormatException? ReadAll(List<string> read)
        {
            using HdrHistogramLogReader log = new(new MemoryStream(input));
            HdrHistogramFormatException? last = null;
            for (bool goesOn = true; goesOn;)
            {
                try
                {
                    HdrHistogramLogInterval? interval = log.Read();
                    goesOn = interval is not null;
                    read.Add($"{interval?.Tag} {interval?.StartTime:O} {interval?.Length} {interval?.Histogram.TotalCount}");
                }
                catch (HdrHistogramFormatException e)
                {
                    Check(e.Line > (last?.Line ?? 0), "A line is reported twice.");
                    last = e;
                }
            }

            return last;
        }
    }

    private static long ReadDistribution(byte[] input)
    {
        using StreamReader reader = new(new MemoryStream(input));
        long count = 0;
        foreach (PercentileDistributionLine line in new PercentileDistributionReader(reader).Read())
        {
            Check(double.IsFinite(line.Value) && line.Rank is >= 0 and <= 1, "A line is out of range.");
            count++;
        }

        return count;
    }

    private static long ReadJson(byte[] input)
    {
        string text = Text(input);
        JsonException? error = null;
        long read = 0;
        Try<HdrHistogramSnapshot>();
        Try<HdrHistogramSummary>();
        Try<Percentile>();
        Try<Bucket>();
        return read > 0 ? read : throw error!;

        void Try<T>()
        {
            string? written = null;
            try
            {
                written = JsonSerializer.Serialize(JsonSerializer.Deserialize<T>(text));
                string again = JsonSerializer.Serialize(JsonSerializer.Deserialize<T>(written));
                Check(again == written, $"A {typeof(T).Name} differs after it was written and read.");
                read += written.Length;
            }
            catch (JsonException e)
            {
                Check(written is null, $"A {typeof(T).Name} cannot be read after it was written.");
                error = e;
            }
        }
    }
}
