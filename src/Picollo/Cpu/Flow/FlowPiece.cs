namespace Picollo.Cpu;

/// <summary>What one thread ran of a flow without a change, for <see cref="CpuUsageAsyncWatcher.Totals"/>. A list of pieces is its last
/// piece, which links to the one before it: adding a piece copies nothing, and a reader of the last piece has a list that no longer
/// changes.</summary>
/// <param name="usage">User and kernel time.</param>
/// <param name="wallTicks">Wall time, in ticks of <see cref="System.Diagnostics.Stopwatch"/>.</param>
/// <param name="threadId">The thread's managed ID.</param>
/// <param name="isEnd">Whether the thread then left the flow. It did not where only the flow's watchers changed, or where the list was read
/// meanwhile; its next piece then belongs to the same segment.</param>
internal sealed class FlowPiece(CpuUsage usage, long wallTicks, int threadId, bool isEnd)
{
    /// <summary>The piece that was added before this one; null for the first. Set before the piece is published.</summary>
    public FlowPiece? Previous { get; set; }

    /// <summary>Joins the pieces of each segment.</summary>
    /// <param name="last">The last piece of the list; null for an empty list.</param>
    /// <returns>The segments that have ended, in that order, and then those that have not.</returns>
    public static List<CpuUsageAsyncWatcher.ContextSwitchLogItem> ToSegments(FlowPiece? last)
    {
        Stack<FlowPiece> pieces = [];
        for (; last is not null; last = last.Previous)
        {
            pieces.Push(last);
        }

        List<CpuUsageAsyncWatcher.ContextSwitchLogItem> segments = [];
        Dictionary<int, CpuUsageAsyncWatcher.ContextSwitchLogItem> open = [];
        foreach (FlowPiece piece in pieces)
        {
            open.Remove(piece.ThreadId, out CpuUsageAsyncWatcher.ContextSwitchLogItem before);
            CpuUsageAsyncWatcher.ContextSwitchLogItem joined = new(before.WallTicks + piece.WallTicks, before.CpuUsage + piece.Usage);
            if (piece.IsEnd)
            {
                segments.Add(joined);
            }
            else
            {
                open.Add(piece.ThreadId, joined);
            }
        }

        segments.AddRange(open.Values);
        return segments;
    }

    private CpuUsage Usage { get; } = usage;

    private long WallTicks { get; } = wallTicks;

    private int ThreadId { get; } = threadId;

    private bool IsEnd { get; } = isEnd;
}
