using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Encoding.Contenders;

namespace Picollo.Benchmarks.Encoding;

/// <summary>Who is compared with whom, and the targets: as fast as the Java library, where zlib is not most of the time.</summary>
internal static class EncodingRows
{
    private const string Plain = "Three digits, one hour of nanoseconds, 5,000 buckets used";
    private const string Compressed = "The same, compressed";

    public static IEnumerable<Row> Create(EncodingWorkload workload, bool with)
    {
        JavaFigure? encode = with ? new("Java encodeIntoByteBuffer", "encode") : null;
        JavaFigure? decode = with ? new("Java decodeFromByteBuffer", "decode") : null;
        JavaFigure? encodeCompressed = with ? new("Java encodeIntoCompressedByteBuffer", "encode compressed") : null;
        JavaFigure? decodeCompressed = with ? new("Java decodeFromCompressedByteBuffer", "decode compressed") : null;
        double? limit = with ? 1 : null;
        yield return new Row(Plain, new EncodeIntoWriter(workload), encode, limit);
        yield return new Row(Plain, new EncodeToArray(workload, compress: false), encode, limit);
        yield return new Row(Plain, new Decode("Decode", workload.Encoded, workload), decode, limit);
        yield return new Row(Compressed, new EncodeToArray(workload, compress: true), encodeCompressed);
        yield return new Row(Compressed, new Decode("Decode, compressed", workload.Compressed, workload), decodeCompressed);
    }
}
