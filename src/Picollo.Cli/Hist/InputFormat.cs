using System.Text;
using Picollo.Export;

namespace Picollo.Cli.Hist;

/// <summary>The formats of inputs.</summary>
internal enum InputFormat
{
    /// <summary>One number per line.</summary>
    Numbers,

    /// <summary>Lines of separated values.</summary>
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

    /// <summary>The names for messages.</summary>
    public static string AllNames { get; } = string.Join(", ", Names.Select(one => one.Name));

    /// <summary>Returns the format with a name; null for another name.</summary>
    public static InputFormat? Named(string? name) =>
        Names.Where(one => one.Name == name).Select(one => (InputFormat?)one.Format).FirstOrDefault();

    /// <summary>Returns the format that the name of a file suggests; null if it suggests none.</summary>
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
