using System.Net;
using System.Text.Json;
using Picollo.AspNetCore.Page;
using Picollo.AspNetCore.Reading;
using Picollo.Export;
using Picollo.Metrics;
using static Picollo.Export.Tests.RawEncoding;
using static Picollo.Fuzz.Tests.FuzzTargets;

namespace Picollo.Fuzz.Tests;

/// <summary>The marks that a browser sends to the page, and the tables in which the page finds the user of a browser.</summary>
internal static class PageTargets
{
    // A snapshot and two copies of the histogram, with their plots.
    private const int ConstantBytes = 3_000_000;

    private const string Sockets =
        """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     
           0: 0100007F:1388 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 21518 1 00000000869ad0b3 100 0 0 10 0                     
           1: 0100007F:C350 0100007F:1388 01 0000004E:00000000 01:00000014 00000000  1001        0 21520 2 00000000d1a5e0f7 20 4 31 10 -1                    

        """;

    private static readonly ulong[] Before = [1, 10, 500];
    private static readonly ulong[] Since = [10, 12_345, 999_999]; // one of them in a bucket that had a value before
    private static readonly PageRow Marked = MakeSubject();

    public static FuzzTarget[] All { get; } =
    [
        new("page-mark", () => [new(JsonSerializer.SerializeToUtf8Bytes(ComparisonMark.Create(Marked, DateTimeOffset.UnixEpoch), PageJsonContext.Default.ComparisonMark))], ReadMark)
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
        new("socket-owner", () => [FuzzSeed.Of(Sockets)], FindOwner)
        {
            ConstantBytes = 8 * ProcNetTcp.BufferBytes,
            Longest = 4_000,
            Count = 3000,
        },
    ];

    private static readonly IPEndPoint Client = new(IPAddress.Loopback, 50_000), Server = new(IPAddress.Loopback, 5_000);

    private static PageRow MakeSubject()
    {
        HdrHistogramRegistry registry = new();
        registry.Add("size", Of([.. Before, .. Since]), HdrHistogramDescription.Nanoseconds, []);
        return PageRow.FromRegistration(registry.Registrations[0]);
    }

    private static HdrHistogram Of(ulong[] values)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(2).WithMaxTrackableValue(1_000_000).Create();
        histogram.Record(values);
        return histogram;
    }

    private static long FindOwner(byte[] input)
    {
        uint? owner = ProcNetTcp.FindOwner(new MemoryStream(input), Client, Server);
        Check(owner == ProcNetTcp.FindOwner(new SlowStream(input), Client, Server), "The result depends on the sizes of the reads.");
        Check(owner is null || input.AsSpan().IndexOf("0100007F:C350 0100007F:1388 01 "u8) >= 0, "The connection is not in the table.");
        return owner ?? 0;
    }

    private static long ReadMark(byte[] input) => Compare(JsonSerializer.Deserialize(input, PageJsonContext.Default.ComparisonMark) ?? throw new JsonException());

    private static long Compare(ComparisonMark mark)
    {
        IReadOnlyList<MarkedPair> pairs = mark.Compare(Marked);
        ulong now = Marked.Registrations[0].Histogram.TotalCount;
        ulong before = pairs[0].Before.TotalCount;
        Check(pairs[0].After.TotalCount == (pairs[0].IsContinued ? now - before : now), "Values are lost or counted twice.");
        return PlotFigures.SinceMark(Marked, mark.Time, pairs).Length;
    }

    private sealed class SlowStream(byte[] content) : MemoryStream(content)
    {
        public override int Read(byte[] buffer, int offset, int count) => base.Read(buffer, offset, Math.Min(count, 7));
    }
}
