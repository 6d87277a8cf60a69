namespace Picollo.Cpu;

public sealed partial class CpuUsageAsyncWatcher
{
    /// <summary>The segments of the flow so far, or until <see cref="Stop"/>: first the completed segments in the order of completion, then
    /// the running ones. Requires a watcher created with <c>listSwitches: true</c>.</summary>
    /// <remarks>
    /// <para>Each call returns a new list, which has <see cref="SwitchCount"/> segments and at most one more for each thread that is in the
    /// flow. The sum of the segments equals <see cref="GetSummaryCpuUsage()"/> at the same moment; after
    /// <see cref="Stop"/> they are exactly equal.</para>
    /// <para><b>Memory.</b> The list has no limit. It grows by 56 bytes with each switch, and each time another watcher starts or stops in
    /// the flow, until the watcher is collected. Do not list the switches of a flow that runs for the life of the process.</para>
    /// <para>Thread-safe. The time and memory of a call are proportional to the length of the list.</para>
    /// <example>
    /// <code>
    /// var watcher = new CpuUsageAsyncWatcher(listSwitches: true);
    /// await HandleRequest();
    /// watcher.Stop();
    /// Console.WriteLine(watcher.ToHumanString(taskDescription: "a request"));
    /// </code>
    /// </example>
    /// </remarks>
    /// <exception cref="InvalidOperationException">The watcher was not created with <c>listSwitches: true</c>.</exception>
    public IReadOnlyList<CpuFlowSegment> Totals
    {
        get
        {
            if (!ListsSwitches)
            {
                throw new InvalidOperationException(
                    $"This watcher does not list its switches. Create it with new {nameof(CpuUsageAsyncWatcher)}(listSwitches: true).");
            }

            if (IsRunning)
            {
                WatchedFlow.GetCpuTime(this, out FlowPiece? last);
                return FlowPiece.ToSegments(last);
            }

            return FlowPiece.ToSegments(LastPiece);
        }
    }

    /// <summary>Formats the segments of <see cref="Totals"/> as a table: a line with the sum, then duration, CPU time and CPU share of each
    /// segment.</summary>
    /// <param name="indent">The number of spaces before each line of the table; at least 0.</param>
    /// <param name="taskDescription">The name of the work, for the first line; <see langword="null"/> or empty for none.</param>
    /// <returns>Several lines, each of which ends with a line break. The text does not depend on the culture.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="indent"/> is negative.</exception>
    /// <exception cref="InvalidOperationException">The watcher was not created with <c>listSwitches: true</c>.</exception>
    public string ToHumanString(int indent = 2, string? taskDescription = "") => SegmentTable.Format(Totals, indent, taskDescription);

    /// <summary>Whether the watcher records the list of <see cref="Totals"/>.</summary>
    internal bool ListsSwitches => (Readings & FlowReadings.Switches) != 0;

    /// <summary>The last piece of the list; null if the list is empty or the watcher does not record one.</summary>
    internal FlowPiece? LastPiece => (_optionalParts as SwitchList)?.Last;
}
