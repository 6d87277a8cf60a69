using System.Buffers;
using System.IO.Compression;
using Picollo.Export;

namespace Picollo.Benchmarks.Encoding;

/// <summary><c>compare encode</c>: compares the encoding of histograms with the HdrHistogram library for Java, in half a minute.</summary>
internal static class EncodingComparison
{
    public const string Name = "encode";

    private const int Repetitions = 401;
    private const string Plain = "3 significant digits, 0 to 1 h in nanoseconds, 5,000 buckets with values";
    private const string Compressed = "The same histogram, compressed";

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        EncodingWorkload workload = EncodingWorkload.Create();
        Dictionary<string, Figures>? javas = JavaLibrary.Measure(workload, out string? reason);
        if (javas is null)
        {
            output.WriteLine();
            output.WriteLine($"not measured: the Java library: {reason}");
        }

        List<Row> rows = [.. CreateRows(workload, with: javas is not null)];
        Dictionary<Contender, Figures> figures = Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions);
        foreach (JavaFigure java in rows.Select(row => row.Against).OfType<JavaFigure>())
        {
            figures[java] = javas![java.Key];
        }

        TimeReport.Print(output, rows, figures);
        PrintJavas(output, rows, figures);
        PrintBytes(output, workload, javas);
        return 0;
    }

    private static void PrintJavas(TextWriter output, List<Row> rows, Dictionary<Contender, Figures> figures)
    {
        TextTable table = new("The Java library, in a separate JVM, after a warm-up", "median ns", "min ns");
        foreach (Contender java in rows.Select(row => row.Against).OfType<JavaFigure>().Distinct())
        {
            table.Add(java.Name, TimeReport.Number(figures[java].Median), TimeReport.Number(figures[java].Minimum));
        }

        table.Print(output);
    }

    private static void PrintBytes(TextWriter output, EncodingWorkload workload, Dictionary<string, Figures>? javas)
    {
        const int Operations = 100;
        long histogram = workload.Decoded.FootprintInBytes;
        FactTable table = new("Sizes and allocations of a call");
        table.Add("decoded histogram", histogram);
        table.Add("encoded", workload.Encoded.Length);
        table.Add($"encoded, compressed with level {HdrHistogramEncoder.CompressionOptions.CompressionLevel}", workload.Compressed.Length);
        if (javas is not null)
        {
            table.Add("encoded by the Java library, compressed with level 6", (long)javas[JavaLibrary.KeyOf("compressed bytes")].Median);
        }

        table.Add("allocated by Encode into a writer", EncodeIntoWriter(workload).AllocatedBytes(Operations), 120);
        table.Add("allocated by Decode", Decode("Decode", workload.Encoded, workload).AllocatedBytes(Operations), histogram + 1_000);
        table.Add("allocated by Decode of compressed data", Decode("Decode", workload.Compressed, workload).AllocatedBytes(Operations), histogram + 100_000);
        table.Print(output);
    }

    // The calls of zlib alone, on the same bytes, are the lower bounds for the compressed rows.
    private static IEnumerable<Row> CreateRows(EncodingWorkload workload, bool with)
    {
        JavaFigure? encode = with ? new("Java encodeIntoByteBuffer", "encode") : null;
        JavaFigure? decode = with ? new("Java decodeFromByteBuffer", "decode") : null;
        JavaFigure? encodeCompressed = with ? new("Java encodeIntoCompressedByteBuffer", "encode compressed") : null;
        JavaFigure? decodeCompressed = with ? new("Java decodeFromCompressedByteBuffer", "decode compressed") : null;
        double? limit = with ? 0.6 : null;
        yield return new Row(Plain, EncodeIntoWriter(workload), encode, limit);
        yield return new Row(Plain, EncodeToArray(workload, compress: false), encode);
        yield return new Row(Plain, Decode("Decode", workload.Encoded, workload), decode, limit);
        yield return new Row(Compressed, EncodeToArray(workload, compress: true), encodeCompressed, with ? 0.5 : null);
        yield return new Row(Compressed, Deflate(workload), encodeCompressed);
        yield return new Row(Compressed, Decode("Decode of compressed data", workload.Compressed, workload), decodeCompressed, limit);
        yield return new Row(Compressed, Inflate(workload), decodeCompressed);
    }

    private static Repeated EncodeIntoWriter(EncodingWorkload workload)
    {
        const string Name = "Encode into a writer";
        ArrayBufferWriter<byte> output = new(1 << 20);
        return new(Name, 10, Encode, () => workload.Verify(Name, HdrHistogramEncoding.Decode(output.WrittenSpan)));

        void Encode()
        {
            output.ResetWrittenCount();
            HdrHistogramEncoding.Encode(workload.Histogram, output);
        }
    }

    private static Repeated EncodeToArray(EncodingWorkload workload, bool compress)
    {
        byte[] encoded = [];
        Action verify = () => workload.Verify("Encode", HdrHistogramEncoding.Decode(encoded));
        return compress
            ? new("EncodeCompressed", 1, () => encoded = HdrHistogramEncoding.EncodeCompressed(workload.Histogram), verify)
            : new("Encode to an array", 10, () => encoded = HdrHistogramEncoding.Encode(workload.Histogram), verify);
    }

    private static Repeated Decode(string name, byte[] encoded, EncodingWorkload workload)
    {
        PlainHdrHistogram<ulong>? decoded = null;
        return new(name, 10, () => decoded = HdrHistogramEncoding.Decode(encoded), () => workload.Verify(name, decoded!));
    }

    private static Repeated Deflate(EncodingWorkload workload)
    {
        MemoryStream target = new(1 << 20);
        return new("ZLibStream alone, compressing", 1, () =>
        {
            target.SetLength(0);
            using ZLibStream zlib = new(target, HdrHistogramEncoder.CompressionOptions, leaveOpen: true);
            zlib.Write(workload.Encoded);
        });
    }

    private static Repeated Inflate(EncodingWorkload workload)
    {
        byte[] target = new byte[workload.Encoded.Length];
        return new("ZLibStream alone, decompressing", 10, () =>
        {
            using ZLibStream zlib = new(new MemoryStream(workload.Compressed, 8, workload.Compressed.Length - 8), CompressionMode.Decompress);
            zlib.ReadExactly(target);
        });
    }
}
