namespace Picollo.Cpu;

/// <summary>Formats the segments of <see cref="CpuUsageAsyncWatcher.ToHumanString"/>.</summary>
internal static class SegmentTable
{
    private const double NanosecondsPerMillisecond = 1e6;
    private const string Gap = "  ";

    private static readonly string[] Headings = ["#", "duration, ms", "CPU, ms", "user, ms", "kernel, ms", "CPU share"];

    public static string Format(IReadOnlyList<CpuFlowSegment> segments, int indent, string? taskDescription)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(indent);
        CpuUsage sum = CpuUsage.Sum(segments.Select(static segment => segment.CpuUsage));
        string[][] rows = [Headings, .. segments.Select(static (segment, index) => CellsOf(segment, index + 1))];
        int[] widths = [.. Headings.Select((_, column) => rows.Max(row => row[column].Length))];
        string of = string.IsNullOrEmpty(taskDescription) ? "" : $" of {taskDescription}";
        StringBuilder text = new();
        text.AppendLine(CultureInfo.InvariantCulture, $"CPU usage{of}: {sum}; thread switches:");
        foreach (string[] row in rows)
        {
            text.Append(' ', indent).AppendJoin(Gap, row.Select((cell, column) => cell.PadLeft(widths[column]))).AppendLine();
        }

        return text.ToString();
    }

    private static string[] CellsOf(CpuFlowSegment segment, int number) =>
    [
        number.ToString(CultureInfo.InvariantCulture),
        segment.Duration.TotalMilliseconds.ToString("0.000", CultureInfo.InvariantCulture),
        Milliseconds(segment.CpuUsage.TotalNanoseconds),
        Milliseconds(segment.CpuUsage.UserNanoseconds),
        Milliseconds(segment.CpuUsage.KernelNanoseconds),
        (segment.CpuShare * 100).ToString("0.0", CultureInfo.InvariantCulture) + "%",
    ];

    private static string Milliseconds(long nanoseconds) =>
        (nanoseconds / NanosecondsPerMillisecond).ToString("0.000", CultureInfo.InvariantCulture);
}
