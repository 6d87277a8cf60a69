namespace Picollo.Cpu;

/// <summary>Sums and formats the segments of <see cref="CpuUsageAsyncWatcher.Totals"/>.</summary>
/// <remarks>Thread-safe.</remarks>
public static class CpuUsageAsyncWatcherExtensions
{
    private const double NanosecondsPerMillisecond = 1e6;
    private const string Gap = "  ";

    private static readonly string[] Headings = ["#", "duration, ms", "CPU, ms", "user, ms", "kernel, ms", "CPU share"];

    /// <summary>Returns the CPU time of all segments together.</summary>
    /// <param name="log">The segments, for example <see cref="CpuUsageAsyncWatcher.Totals"/> or a part of it.</param>
    /// <returns>User and kernel time; 0 for an empty sequence.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="log"/> is <see langword="null"/>.</exception>
    public static CpuUsage GetSummaryCpuUsage(this IEnumerable<CpuUsageAsyncWatcher.ContextSwitchLogItem> log)
    {
        ArgumentNullException.ThrowIfNull(log);
        return CpuUsage.Sum(log.Select(static segment => segment.CpuUsage));
    }

    /// <summary>Formats the segments as a table: a line with the sum, then duration, CPU time and CPU share of each segment.</summary>
    /// <param name="log">The segments, for example <see cref="CpuUsageAsyncWatcher.Totals"/> or a part of it.</param>
    /// <param name="indent">The number of spaces before each line of the table; at least 0.</param>
    /// <param name="taskDescription">The name of the work, for the first line; <see langword="null"/> or empty for none.</param>
    /// <returns>Several lines, each of which ends with a line break. The text does not depend on the culture.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="log"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="indent"/> is negative.</exception>
    public static string ToHumanString(
        this IEnumerable<CpuUsageAsyncWatcher.ContextSwitchLogItem> log, int indent = 2, string? taskDescription = "")
    {
        ArgumentNullException.ThrowIfNull(log);
        ArgumentOutOfRangeException.ThrowIfNegative(indent);
        CpuUsageAsyncWatcher.ContextSwitchLogItem[] segments = [.. log];
        string[][] rows = [Headings, .. segments.Select(static (segment, index) => CellsOf(segment, index + 1))];
        int[] widths = [.. Headings.Select((_, column) => rows.Max(row => row[column].Length))];
        string of = string.IsNullOrEmpty(taskDescription) ? "" : $" of {taskDescription}";
        StringBuilder text = new();
        text.AppendLine(CultureInfo.InvariantCulture, $"CPU usage{of}: {segments.GetSummaryCpuUsage()}; thread switches:");
        foreach (string[] row in rows)
        {
            text.Append(' ', indent).AppendJoin(Gap, row.Select((cell, column) => cell.PadLeft(widths[column]))).AppendLine();
        }

        return text.ToString();
    }

    /// <summary>Formats the segments of <see cref="CpuUsageAsyncWatcher.Totals"/> as a table: a line with the sum, then duration, CPU time
    /// and CPU share of each segment.</summary>
    /// <param name="watcher">A watcher that was created with <c>listSwitches: true</c>.</param>
    /// <param name="indent">The number of spaces before each line of the table; at least 0.</param>
    /// <param name="taskDescription">The name of the work, for the first line; <see langword="null"/> or empty for none.</param>
    /// <returns>Several lines, each of which ends with a line break. The text does not depend on the culture.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="watcher"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="indent"/> is negative.</exception>
    /// <exception cref="InvalidOperationException">The watcher was not created with <c>listSwitches: true</c>.</exception>
    public static string ToHumanString(this CpuUsageAsyncWatcher watcher, int indent = 2, string? taskDescription = "")
    {
        ArgumentNullException.ThrowIfNull(watcher);
        return watcher.Totals.ToHumanString(indent, taskDescription);
    }

    private static string[] CellsOf(CpuUsageAsyncWatcher.ContextSwitchLogItem segment, int number) =>
    [
        number.ToString(CultureInfo.InvariantCulture),
        (segment.Duration * 1_000).ToString("0.000", CultureInfo.InvariantCulture),
        Milliseconds(segment.CpuUsage.TotalNanoseconds),
        Milliseconds(segment.CpuUsage.UserNanoseconds),
        Milliseconds(segment.CpuUsage.KernelNanoseconds),
        (segment.CpuShare * 100).ToString("0.0", CultureInfo.InvariantCulture) + "%",
    ];

    private static string Milliseconds(long nanoseconds) =>
        (nanoseconds / NanosecondsPerMillisecond).ToString("0.000", CultureInfo.InvariantCulture);
}
