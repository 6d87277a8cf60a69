using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>Tests joining the pieces of a flow into the segments of <see cref="CpuUsageAsyncWatcher.Totals"/>.</summary>
public sealed class FlowPieceTests
{
    private static readonly CpuUsage Usage = new(3, 2);

    [Fact]
    public void Without_pieces_there_are_no_segments() => FlowPiece.ToSegments(null).Should().BeEmpty();

    [Fact]
    public void Segments_are_in_the_order_in_which_they_ended() =>
        FlowPiece.ToSegments(Listed((1, 10, true), (2, 20, true), (1, 30, true))).Should().Equal(Item(10, 1), Item(20, 1), Item(30, 1));

    [Fact]
    public void Pieces_of_a_thread_are_one_segment_until_it_leaves_the_flow() =>
        FlowPiece.ToSegments(Listed((1, 10, false), (2, 20, true), (1, 5, false), (1, 1, true), (1, 7, true)))
            .Should().Equal(Item(20, 1), Item(16, 3), Item(7, 1));

    [Fact]
    public void Segments_that_have_not_ended_come_last() =>
        FlowPiece.ToSegments(Listed((1, 10, false), (2, 20, true), (1, 5, false))).Should().Equal(Item(20, 1), Item(15, 2));

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
