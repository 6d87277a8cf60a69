namespace Picollo.Export;

/// <summary>An interval of a log: the values that were recorded in a period of time, under a tag.</summary>
/// <remarks>Immutable, except for the histogram, which the reader does not use again.</remarks>
public sealed class HdrHistogramLogInterval
{
    internal HdrHistogramLogInterval(
        string? tag, DateTimeOffset startTime, TimeSpan offset, TimeSpan length, double max, PlainHdrHistogram<ulong> histogram)
    {
        Tag = tag;
        StartTime = startTime;
        Offset = offset;
        Length = length;
        Max = max;
        Histogram = histogram;
    }

    /// <summary>The tag, which identifies a histogram of the log; <see langword="null"/> if the line has no tag.</summary>
    public string? Tag { get; }

    /// <summary>The start of the interval, in UTC (offset 0).</summary>
    public DateTimeOffset StartTime { get; }

    /// <summary>The time between the start of the log (<see cref="HdrHistogramLogReader.StartTime"/> when the line was read) and the start
    /// of the interval.</summary>
    public TimeSpan Offset { get; }

    /// <summary>The length of the interval as written in the line, even if it is negative.</summary>
    public TimeSpan Length { get; }

    /// <summary>The largest value as written in the line, in the writer's unit. By default, a unit is a million units of the
    /// histogram.</summary>
    public double Max { get; }

    /// <summary>The values.</summary>
    public PlainHdrHistogram<ulong> Histogram { get; }
}
