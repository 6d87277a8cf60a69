using Picollo.Metrics;

namespace Picollo.Export;

/// <summary>A line of an interval log: what was counted in a time, under a tag.</summary>
/// <remarks>Immutable but for its histogram, which is the reader's to use and change.</remarks>
public sealed class HdrHistogramLogInterval
{
    internal HdrHistogramLogInterval(
        string? tag, DateTime startTimeUtc, TimeSpan offset, TimeSpan length, double max, PlainHdrHistogram<ulong> histogram)
    {
        Tag = tag;
        StartTimeUtc = startTimeUtc;
        Offset = offset;
        Length = length;
        Max = max;
        Histogram = histogram;
    }

    /// <summary>Which of the log's histograms it belongs to; null where the line has no tag.</summary>
    public string? Tag { get; }

    /// <summary>When the interval began, in UTC.</summary>
    public DateTime StartTimeUtc { get; }

    /// <summary>How long after the log's start, <see cref="HdrHistogramLogReader.StartTimeUtc"/> when the line was read.</summary>
    public TimeSpan Offset { get; }

    /// <summary>How long it took, as the line says; negative where it says so.</summary>
    public TimeSpan Length { get; }

    /// <summary>The largest value as it stands in the line: in the writer's unit, for people; by default a millionth of the
    /// histogram's.</summary>
    public double Max { get; }

    /// <summary>The values.</summary>
    public PlainHdrHistogram<ulong> Histogram { get; }
}
