using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>The text and the numbers of the segments of <see cref="CpuUsageAsyncWatcher.Totals"/>.</summary>
public sealed class WatcherTotalsTextTests
{
    private static readonly CpuFlowSegment[] Segments =
    [
        Item(milliseconds: 10, new CpuUsage(8_900_000, 70_000)),
        Item(milliseconds: 1_000, new CpuUsage(30_000, 0)),
        Item(milliseconds: 0, new CpuUsage(1_000, 0)),
    ];

    [Fact]
    public void A_segment_has_its_duration_in_seconds_and_its_share_of_a_CPU()
    {
        Segments[0].Duration.Should().Be(TimeSpan.FromMilliseconds(10));
        Segments[0].CpuShare.Should().BeApproximately(0.897, 1e-12);
        Segments[2].Duration.Should().Be(TimeSpan.Zero);
        Segments[2].CpuShare.Should().Be(0, "a segment of zero length has the share 0, not infinity");
        default(CpuFlowSegment).CpuShare.Should().Be(0);
    }

    [Fact]
    public void The_table_has_a_line_for_each_segment_in_any_culture() => Cultures.RunInGerman(() =>
    {
        Lines(SegmentTable.Format(Segments, 2, "a request")).Should().Equal(
            "CPU usage of a request: 9.001 ms (user 8.931 ms, kernel 0.070 ms); thread switches:",
            "  #  duration, ms  CPU, ms  user, ms  kernel, ms  CPU share",
            "  1        10.000    8.970     8.900       0.070      89.7%",
            "  2      1000.000    0.030     0.030       0.000       0.0%",
            "  3         0.000    0.001     0.001       0.000       0.0%",
            "");
        Segments[0].ToString().Should().Be("10.000 ms, CPU 89.7 %: 8.970 ms (user 8.900 ms, kernel 0.070 ms)");
    });

    private static CpuFlowSegment Item(long milliseconds, CpuUsage usage) =>
        new(milliseconds * (Stopwatch.Frequency / 1_000), usage);

    private static string[] Lines(string text) => text.Split(Environment.NewLine);

    private static readonly CpuUsage Usage = new(3, 2);

    [Fact]
    public void Pieces_of_a_thread_are_one_segment_until_it_leaves_the_flow() =>
        FlowPiece.ToSegments(Listed((1, 10, false), (3, 4, false), (2, 20, true), (1, 5, false), (1, 1, true), (1, 7, true), (3, 5, false)))
            .Should().Equal([Item(20, 1), Item(16, 3), Item(7, 1), Item(9, 2)], "they are in the order of their ends, and a running one is last");

    /// <summary>Compares the result with an enumeration of the pieces of each thread separately.</summary>
    [Fact]
    public void Joining_keeps_all_time_and_ends_a_segment_at_each_switch() => Seeded.Run(500, random =>
    {
        (int Thread, int Ticks, bool IsEnd)[] pieces =
            [.. Enumerable.Range(0, random.Next(40)).Select(_ => (random.Next(1, 5), random.Next(1, 100), random.Next(2) == 0))];

        List<CpuFlowSegment> segments = FlowPiece.ToSegments(Listed(pieces));

        segments.Sum(segment => segment.WallTicks).Should().Be(pieces.Sum(piece => piece.Ticks));
        CpuUsage.Sum(segments.Select(segment => segment.CpuUsage)).Should().Be(new CpuUsage(3 * pieces.Length, 2 * pieces.Length));
        int running = pieces.GroupBy(piece => piece.Thread).Count(thread => !thread.Last().IsEnd);
        segments.Should().HaveCount(pieces.Count(piece => piece.IsEnd) + running);
    });

    private static CpuFlowSegment Item(long ticks, int pieces) => new(ticks, new CpuUsage(3 * pieces, 2 * pieces));

    private static FlowPiece? Listed(params (int Thread, int Ticks, bool IsEnd)[] pieces) => pieces.Aggregate(
        (FlowPiece?)null, static (last, piece) => new FlowPiece(Usage, piece.Ticks, piece.Thread, piece.IsEnd) { Previous = last });
}
