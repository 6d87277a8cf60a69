namespace Picollo.Cpu;

/// <summary>A part of a flow that one thread ran without a change, for <see cref="CpuUsageAsyncWatcher.Totals"/>. The last piece represents
/// a list, because each piece links to the previous one: adding a piece copies nothing, and the list that a reader has obtained no longer
/// changes.</summary>
/// <param name="Usage">The user and kernel time.</param>
/// <param name="WallTicks">The wall time, in ticks of <see cref="System.Diagnostics.Stopwatch"/>.</param>
/// <param name="ThreadId">The thread's managed ID.</param>
/// <param name="IsEnd">Whether the thread then left the flow. False if only the watchers of the flow changed, or if the list was read in
/// the meantime; then the next piece of the thread belongs to the same segment.</param>
internal sealed record FlowPiece(CpuUsage Usage, long WallTicks, int ThreadId, bool IsEnd)
{
    /// <summary>The piece that was added before this one; null for the first. Set before the piece is published.</summary>
    public FlowPiece? Previous { get; set; }

    /// <summary>Joins the pieces of each segment.</summary>
    /// <param name="last">The last piece of the list; null for an empty list.</param>
    /// <returns>The completed segments in the order of completion, then the running ones.</returns>
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
}
