using System.Diagnostics;

namespace Picollo.Cpu;

public sealed partial class CpuUsageAsyncWatcher
{
    /// <summary>The segments that the flow has run so far, or until <see cref="Stop"/>: first those whose thread has left the flow, in the
    /// order of their ends, and then those that still run. Only for a watcher that was created with <c>listSwitches: true</c>.</summary>
    /// <remarks>
    /// <para>A new list at each call, with at most one segment more than <see cref="SwitchCount"/> for each thread that is in the flow. The
    /// sum of the segments (<see cref="CpuUsageAsyncWatcherExtensions.GetSummaryCpuUsage"/>) is <see cref="GetSummaryCpuUsage()"/> of the
    /// same moment, and after <see cref="Stop"/> it is exactly that.</para>
    /// <para><b>Memory.</b> The list has no limit. It grows by 56 bytes with each switch, and each time that another watcher starts or
    /// stops in the flow, until the watcher is collected. Do not list the switches of a flow that runs for the life of the process.</para>
    /// <para>Thread-safe. A call takes time and memory in proportion to the length of the list.</para>
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
                WatchedFlow.GetTaken(this, out FlowPiece? pieces);
                return FlowPiece.ToSegments(pieces);
            }

            return FlowPiece.ToSegments(Pieces);
        }
    }

    /// <summary>Whether the watcher keeps the list of <see cref="Totals"/>.</summary>
    internal bool ListsSwitches => (Readings & FlowReadings.Switches) != 0;

    /// <summary>The last piece of the list; null for an empty one, and for a watcher that keeps none.</summary>
    internal FlowPiece? Pieces => _successorOrPieces as FlowPiece;

    /// <summary>A segment of a flow: what one thread ran of it, from the moment at which it took up the flow until it left it.</summary>
    /// <remarks>Immutable and thread-safe. The default value is a segment of no length.</remarks>
    [DebuggerDisplay("{ToString(),nq}")]
    public readonly record struct ContextSwitchLogItem
    {
        private const double NanosecondsPerSecond = 1e9;

        internal ContextSwitchLogItem(long wallTicks, CpuUsage cpuUsage) => (WallTicks, CpuUsage) = (wallTicks, cpuUsage);

        /// <summary>Wall time of the segment, in seconds; at least 0.</summary>
        public double Duration => (double)WallTicks / Stopwatch.Frequency;

        /// <summary>CPU time of the segment, user and kernel apart.</summary>
        public CpuUsage CpuUsage { get; }

        /// <summary>The share of <see cref="Duration"/> in which the thread had a CPU, usually 0 to 1; 0 for a segment of no length. A
        /// short segment can exceed 1 slightly, because the two clocks differ.</summary>
        public double CpuShare => WallTicks == 0 ? 0 : CpuUsage.TotalNanoseconds / (Duration * NanosecondsPerSecond);

        /// <summary>Wall time, in ticks of <see cref="Stopwatch"/>.</summary>
        internal long WallTicks { get; }

        /// <summary>All of it in words; culture-invariant.</summary>
        /// <returns>For example <c>10.123 ms, CPU 98.5 %: 9.970 ms (user 9.900 ms, kernel 0.070 ms)</c>.</returns>
        public override string ToString() => string.Create(
            CultureInfo.InvariantCulture, $"{Duration * 1_000:0.000} ms, CPU {CpuShare * 100:0.0} %: {CpuUsage:ms}");
    }
}
