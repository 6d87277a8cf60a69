using Picollo.Cpu;

namespace Picollo.Diagnostics.Spans;

/// <summary>The CPU time of the children of a span that have stopped. The watcher of a span refers to an object of this class: to that of
/// its parent until the first child starts, and then to its own. Most spans therefore do not need their own object.</summary>
/// <remarks>Children find the object through the watcher of the flow and not through <see cref="System.Diagnostics.Activity.Parent"/>,
/// because only time that was counted for a span may be subtracted from it.</remarks>
internal sealed class ChildTimes : SpanData
{
    // The parent's object for spans without a parent. Nothing is added to it.
    private static readonly ChildTimes NoParent = new(null, null);

    private readonly CpuUsageAsyncWatcher? _span;
    private readonly ChildTimes? _parent;
    private long _total;
    private long _kernel;

    private ChildTimes(CpuUsageAsyncWatcher? span, ChildTimes? parent) => (_span, _parent) = (span, parent);

    /// <summary>The sums, in nanoseconds.</summary>
    public (long Total, long Kernel) Sums => (Volatile.Read(ref _total), Volatile.Read(ref _kernel));

    /// <summary>Returns the object for a new span, which is a child of the innermost span of the current flow.</summary>
    public static ChildTimes ForNewSpan() => WatchedFlow.InnermostSpan is { } parent ? OfParent(parent) ?? NoParent : NoParent;

    /// <summary>Returns the objects of a span and of its parent; null for a span without children or without a parent.</summary>
    public static (ChildTimes? Own, ChildTimes? OfParent) Find(CpuUsageAsyncWatcher span, ChildTimes data)
    {
        bool isOwn = data._span == span;
        ChildTimes? ofParent = isOwn ? data._parent : data;
        return (isOwn ? data : null, ofParent == NoParent ? null : ofParent);
    }

    /// <summary>Adds the time of a child that stops. Thread-safe. Has no effect after the span has stopped.</summary>
    public void Add((long Total, long Kernel) child)
    {
        Interlocked.Add(ref _total, child.Total);
        Interlocked.Add(ref _kernel, child.Kernel);
    }

    // Returns null if the span stops during the call.
    private static ChildTimes? OfParent(CpuUsageAsyncWatcher span)
    {
        if (span.SpanData is ChildTimes data && data._span != span)
        {
            span.ReplaceSpanData(new ChildTimes(span, data), data);
        }

        return span.SpanData as ChildTimes;
    }
}
