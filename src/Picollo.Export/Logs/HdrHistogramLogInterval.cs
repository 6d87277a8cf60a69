namespace Picollo.Export;

/// <summary>A line of an interval log: what was counted in a time, under a tag.</summary>
/// <remarks>Immutable but for its histogram, which is the reader's to use and change.</remarks>
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

    /// <summary>Which of the log's histograms it belongs to; null where the line has no tag.</summary>
    public string? Tag { get; }

    /// <summary>Start of the interval, in UTC (offset 0).</summary>
    public DateTimeOffset StartTime { get; }

    /// <summary>Time since the log's start, <see cref="HdrHistogramLogReader.StartTime"/> when the line was read.</summary>
    public TimeSpan Offset { get; }

    /// <summary>Length of the interval as the line says, even if negative.</summary>
    public TimeSpan Length { get; }

    /// <summary>The largest value as written in the line, in the writer's unit: by default a millionth of the histogram's.</summary>
    public double Max { get; }

    /// <summary>The values.</summary>
    public PlainHdrHistogram<ulong> Histogram { get; }
}
