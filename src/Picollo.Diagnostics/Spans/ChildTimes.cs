using Picollo.Cpu;

namespace Picollo.Diagnostics.Spans;

/// <summary>What the children of a span have taken that have stopped. The companion of a span's watcher is its own, or, until the first
/// child starts, that of its parent: most spans need none of their own.</summary>
/// <remarks>Children find it through the watcher of the flow, and not through <see cref="System.Diagnostics.Activity.Parent"/>: what is
/// subtracted from a span must have been counted for it.</remarks>
internal sealed class ChildTimes
{
    // That of the parent of a span without parent. Nothing is added to it.
    private static readonly ChildTimes NoParent = new(null, null);

    private readonly CpuUsageAsyncWatcher? _span;
    private readonly ChildTimes? _parent;
    private long _total;
    private long _kernel;

    private ChildTimes(CpuUsageAsyncWatcher? span, ChildTimes? parent) => (_span, _parent) = (span, parent);

    /// <summary>The sums, in nanoseconds.</summary>
    public (long Total, long Kernel) Sums => (Volatile.Read(ref _total), Volatile.Read(ref _kernel));

    /// <summary>The companion of a new span, which is a child of the innermost span of the current flow.</summary>
    public static ChildTimes ForNewSpan() => WatchedFlow.InnermostSpan is { } parent ? OfParent(parent) ?? NoParent : NoParent;

    /// <summary>That of a span, and of its parent; null for a span without children or without parent.</summary>
    public static (ChildTimes? Own, ChildTimes? OfParent) Find(CpuUsageAsyncWatcher span, ChildTimes companion)
    {
        bool isOwn = companion._span == span;
        ChildTimes? ofParent = isOwn ? companion._parent : companion;
        return (isOwn ? companion : null, ofParent == NoParent ? null : ofParent);
    }

    /// <summary>Adds a child that stops; several threads may at once. Of no effect once the span has stopped.</summary>
    public void Add((long Total, long Kernel) child)
    {
        Interlocked.Add(ref _total, child.Total);
        Interlocked.Add(ref _kernel, child.Kernel);
    }

    // Null if the span stops meanwhile.
    private static ChildTimes? OfParent(CpuUsageAsyncWatcher span)
    {
        if (span.Companion is ChildTimes companion && companion._span != span)
        {
            span.ReplaceCompanion(new ChildTimes(span, companion), companion);
        }

        return span.Companion as ChildTimes;
    }
}
