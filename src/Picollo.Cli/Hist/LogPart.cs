using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Picollo.Export;

namespace Picollo.Cli.Hist;

/// <summary>The part of a log that <c>--from</c> and <c>--to</c> select: by seconds since the log's start, or by time.</summary>
internal sealed class LogPart
{
    private LogPart(Func<HdrHistogramLogReader, HdrHistogramLogInterval?> next) => Next = next;

    public static LogPart All { get; } = new(log => log.Read());

    /// <summary>A function that reads the next interval of the part.</summary>
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
