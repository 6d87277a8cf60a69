using Picollo.Cpu;

namespace Picollo.Profiling.Waits;

/// <summary>What the flows of this process waited for, by label.</summary>
/// <param name="StartTime">The start of the measurement.</param>
/// <param name="Duration">The duration of the measurement.</param>
/// <param name="Rows">The waits, ordered by descending total time.</param>
/// <param name="Notes">The limitations of this measurement; empty if there are none.</param>
internal sealed record WaitProfile(
    DateTimeOffset StartTime, TimeSpan Duration, IReadOnlyList<WaitRow> Rows, IReadOnlyList<string> Notes)
{
    /// <summary>The kind of the time in the queue of the thread pool.</summary>
    public const string PoolQueue = "thread pool queue";

    /// <summary>The kind of the time in the queue of the thread pool before a request starts. It is not part of its duration.</summary>
    public const string PoolQueueBefore = "thread pool queue, before the request";

    /// <summary>The name of the method of a handler that was compiled together with what it calls.</summary>
    public const string Handler = "the handler of the route, inlined";
}

/// <summary>The waits of one kind in one method, for a route or named work.</summary>
/// <param name="Label">The route or the named work; <see cref="FlowLabel.None"/> for waits that belong to none.</param>
/// <param name="Kind">The method that the method called to wait, such as <c>SemaphoreSlim.Wait</c>, or
/// <see cref="WaitProfile.PoolQueue"/>; empty if it is unknown.</param>
/// <param name="Method">The method that waited; empty if it is unknown.</param>
/// <param name="Count">The number of waits.</param>
/// <param name="Total">Their total time.</param>
/// <param name="Longest">The longest one.</param>
internal sealed record WaitRow(FlowLabel Label, string Kind, string Method, long Count, TimeSpan Total, TimeSpan Longest);
