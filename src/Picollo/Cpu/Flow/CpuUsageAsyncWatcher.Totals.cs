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
    public IReadOnlyList<ContextSwitchLogItem> Totals
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

    /// <summary>A segment of a flow: the part that one thread runs from the moment it enters the flow until it leaves the flow.</summary>
    /// <remarks>Immutable and thread-safe. The default value is a segment of zero length.</remarks>
    [DebuggerDisplay("{ToString(),nq}")]
    public readonly record struct ContextSwitchLogItem
    {
        private const double NanosecondsPerSecond = 1e9;

        internal ContextSwitchLogItem(long wallTicks, CpuUsage cpuUsage) => (WallTicks, CpuUsage) = (wallTicks, cpuUsage);

        /// <summary>The wall time of the segment, in seconds; at least 0.</summary>
        public double Duration => (double)WallTicks / Stopwatch.Frequency;

        /// <summary>The CPU time of the segment, split into user and kernel time.</summary>
        public CpuUsage CpuUsage { get; }

        /// <summary>The fraction of <see cref="Duration"/> in which the thread ran on a CPU, usually 0 to 1; 0 for a segment of zero
        /// length. A short segment can exceed 1 slightly, because the two clocks differ.</summary>
        public double CpuShare => WallTicks == 0 ? 0 : CpuUsage.TotalNanoseconds / (Duration * NanosecondsPerSecond);

        /// <summary>The wall time, in ticks of <see cref="Stopwatch"/>.</summary>
        internal long WallTicks { get; }

        /// <summary>Formats duration, CPU share and CPU time; culture-invariant.</summary>
        /// <returns>A string such as <c>10.123 ms, CPU 98.5 %: 9.970 ms (user 9.900 ms, kernel 0.070 ms)</c>.</returns>
        public override string ToString() => string.Create(
            CultureInfo.InvariantCulture, $"{Duration * 1_000:0.000} ms, CPU {CpuShare * 100:0.0} %: {CpuUsage:ms}");
    }
}
