using System.Text.Json;
using Picollo.AspNetCore.Page;
using Picollo.AspNetCore.Usage;
using Picollo.Export;
using Picollo.Metrics;
using static Picollo.Export.Tests.RawEncoding;
using static Picollo.Fuzz.Tests.FuzzTargets;

namespace Picollo.Fuzz.Tests;

/// <summary>The marks that a browser sends to the page.</summary>
internal static class PageTargets
{
    // A snapshot and two copies of the histogram, with their plots.
    private const int ConstantBytes = 3_000_000;

    private static readonly ulong[] Before = [1, 10, 500];
    private static readonly ulong[] Since = [10, 12_345, 999_999]; // one of them in a bucket that had a value before
    private static readonly Subject Marked = MakeSubject();

    public static FuzzTarget[] All { get; } =
    [
        new("page-mark", () => [new(JsonSerializer.SerializeToUtf8Bytes(Mark.Of(Marked, DateTimeOffset.UnixEpoch), PageJsonContext.Default.Mark))], ReadMark)
        {
            Documented = [typeof(JsonException), typeof(FormatException)],
            ConstantBytes = ConstantBytes,
            Longest = 4_000,
        },
        new("page-mark-histogram", () => [.. new[] { Marked.Registrations[0].Histogram, Of(Before) }.Select(marked => new FuzzSeed(HdrHistogramEncoding.Encode(marked), (0, 40)))], input => Compare(new(DateTimeOffset.UnixEpoch, [Compressed(input)])))
        {
            Documented = [typeof(FormatException)],
            ConstantBytes = ConstantBytes,
            Longest = 4_000,
        },
    ];

    private static Subject MakeSubject()
    {
        HdrHistogramRegistry registry = new();
        registry.Add("size", Of([.. Before, .. Since]), HdrHistogramDescription.Nanoseconds, []);
        return Subject.Of(registry.Registrations[0]);
    }

    private static HdrHistogram Of(ulong[] values)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(2).WithMaxTrackableValue(1_000_000).Create();
        histogram.Record(values);
        return histogram;
    }

    private static long ReadMark(byte[] input) => Compare(JsonSerializer.Deserialize(input, PageJsonContext.Default.Mark) ?? throw new JsonException());

    private static long Compare(Mark mark)
    {
        IReadOnlyList<MarkedPair> pairs = mark.Compare(Marked);
        ulong now = Marked.Registrations[0].Histogram.TotalCount;
        ulong before = pairs[0].Before.TotalCount;
        Check(pairs[0].After.TotalCount == (pairs[0].IsContinued ? now - before : now), "Values are lost or counted twice.");
        return PlotFigures.SinceMark(Marked, mark.Time, pairs).Length;
    }
}
