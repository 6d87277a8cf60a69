using System.Diagnostics.CodeAnalysis;
using Picollo.Export;

namespace Picollo.Cli.Hist;

internal sealed record InputOptions
{
    public InputFormat? Format { get; init; }

    /// <summary>The name or number of the CSV column to read; null for other formats.</summary>
    public string? Column { get; init; }

    public string? Tag { get; init; }

    public bool IsUntagged { get; init; }

    public LogPart Part { get; init; } = LogPart.All;
}

internal enum InputFormat
{
    Numbers,

    Csv,

    /// <summary>An HdrHistogram interval log (.hlog).</summary>
    Log,

    /// <summary>An HdrHistogram percentile distribution (.hgrm), as text or CSV.</summary>
    Hgrm,

    /// <summary>A log of percentiles, as jHiccup 1 and HistogramLogProcessor write it.</summary>
    PercentileLog,
}

/// <summary>Names formats, and recognizes them by the structure of the input.</summary>
internal static class InputFormats
{
    /// <summary>The number of bytes that are searched for a line that determines the format.</summary>
    public const int MaxBytes = 1 << 18;

    private static readonly (string Name, InputFormat Format)[] Names =
    [
        ("numbers", InputFormat.Numbers), ("csv", InputFormat.Csv), ("log", InputFormat.Log), ("hgrm", InputFormat.Hgrm),
        ("percentile-log", InputFormat.PercentileLog),
    ];

    public static string AllNames { get; } = string.Join(", ", Names.Select(format => format.Name));

    public static InputFormat? Named(string? name) =>
        Names.Where(format => format.Name == name).Select(format => (InputFormat?)format.Format).FirstOrDefault();

    public static InputFormat? OfName(string path) =>
        path.EndsWith(".hlog", StringComparison.OrdinalIgnoreCase) ? InputFormat.Log
        : path.EndsWith(".hgrm", StringComparison.OrdinalIgnoreCase) ? InputFormat.Hgrm
        : null;

    /// <summary>Recognizes a format by the first line that determines it: a number in the first line, an interval of a log, or column
    /// names. Lines before it are ignored.</summary>
    /// <param name="start">The start of the input, in UTF-8.</param>
    /// <param name="isAll">Whether no more text is searched.</param>
    /// <returns>The format; null if no line determines it.</returns>
    public static InputFormat? Recognize(ReadOnlySpan<byte> start, bool isAll)
    {
        bool isFirst = true, hasLogComment = false;
        start = start.StartsWith("\uFEFF"u8) ? start[3..] : start;
        while (!start.IsEmpty)
        {
            int end = start.IndexOfAny((byte)'\r', (byte)'\n');
            ReadOnlySpan<byte> line = (end < 0 ? start : start[..end]).Trim(" \t"u8);
            start = end < 0 ? [] : start[(end + 1)..];
            if (line.IsEmpty)
            {
                continue;
            }

            if (HdrHistogramLogReader.IsLogLine(line))
            {
                return InputFormat.Log;
            }

            if (end < 0 && !isAll)
            {
                return null;
            }

            if (isFirst && NumberText.Parse(line, out _, out _) != NumberKind.NotANumber)
            {
                return InputFormat.Numbers;
            }

            if (line.IndexOf("Total"u8) >= 0 && OfHeading(Encoding.UTF8.GetString(line)) is { } format)
            {
                return format;
            }

            isFirst = false;
            hasLogComment |= line.StartsWith("#["u8);
        }

        return isAll && hasLogComment ? InputFormat.Log : null;
    }

    private static InputFormat? OfHeading(string line) =>
        PercentileColumns.OfHeading(line) is not null ? InputFormat.Hgrm
        : PercentileLog.IsLegend(line) ? InputFormat.PercentileLog
        : null;
}

/// <summary>The part of a log that <c>--from</c> and <c>--to</c> select: by seconds since the log's start, or by time.</summary>
internal sealed class LogPart
{
    private LogPart(Func<HdrHistogramLogReader, HdrHistogramLogInterval?> next) => Next = next;

    public static LogPart All { get; } = new(log => log.Read());

    public Func<HdrHistogramLogReader, HdrHistogramLogInterval?> Next { get; }

    /// <summary>Parses the options. Each is null if it was not specified.</summary>
    public static bool TryParse(string? from, string? to, [NotNullWhen(true)] out LogPart? part)
    {
        part = (from, to) == (null, null) ? All
            : IsSeconds(from, TimeSpan.MinValue, out TimeSpan first) && IsSeconds(to, TimeSpan.MaxValue, out TimeSpan end)
            ? new(log => log.Read(first, end))
            : IsTime(from, DateTimeOffset.MinValue, out DateTimeOffset startTime)
                && IsTime(to, DateTimeOffset.MaxValue, out DateTimeOffset endTime)
            ? new(log => log.Read(startTime, endTime))
            : null;
        return part is not null;
    }

    private static bool IsSeconds(string? text, TimeSpan otherwise, out TimeSpan value)
    {
        value = otherwise;
        if (text is null)
        {
            return true;
        }

        bool isNumber = double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double seconds)
            && Math.Abs(seconds) < TimeSpan.MaxValue.TotalSeconds;
        value = isNumber ? TimeSpan.FromSeconds(seconds) : otherwise;
        return isNumber;
    }

    private static bool IsTime(string? text, DateTimeOffset otherwise, out DateTimeOffset value)
    {
        value = otherwise;
        return text is null || DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out value);
    }
}
