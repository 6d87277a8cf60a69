namespace Picollo.Cpu;

/// <summary>A part of a flow that one thread ran without a change, for <see cref="CpuUsageAsyncWatcher.Totals"/>. The last piece represents
/// a list, because each piece links to the previous one: adding a piece copies nothing, and the list that a reader has obtained no longer
/// changes. Wall times are in ticks of <see cref="Stopwatch"/>. Thread IDs are managed ones. A piece is not an end if only the watchers of
/// the flow changed, or if the list was read in the meantime; then the next piece of the thread belongs to the same segment.</summary>
internal sealed record FlowPiece(CpuUsage Usage, long WallTicks, int ThreadId, bool IsEnd)
{
    /// <summary>The piece that was added before this one; null for the first. Set before the piece is published.</summary>
    public FlowPiece? Previous { get; set; }

    /// <summary>Joins the pieces of each segment. The completed segments are first, in the order of completion.</summary>
    public static List<CpuFlowSegment> ToSegments(FlowPiece? last)
    {
        Stack<FlowPiece> pieces = [];
        for (; last is not null; last = last.Previous)
        {
            pieces.Push(last);
        }

        List<CpuFlowSegment> segments = [];
        Dictionary<int, CpuFlowSegment> open = [];
        foreach (FlowPiece piece in pieces)
        {
            open.Remove(piece.ThreadId, out CpuFlowSegment before);
            CpuFlowSegment joined = new(before.WallTicks + piece.WallTicks, before.CpuUsage + piece.Usage);
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
}
