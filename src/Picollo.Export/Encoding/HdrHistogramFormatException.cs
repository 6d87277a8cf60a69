namespace Picollo.Export;

/// <summary>Data that is no histogram, or no log of histograms, or is damaged. Says where. To callers it is a
/// <see cref="FormatException"/>: its message has the place, too.</summary>
internal sealed class HdrHistogramFormatException(string problem, long offset, long? line = null, Exception? inner = null)
    : FormatException(line is null ? $"{problem} (at byte {offset})" : $"{problem} (line {line}, character {offset})", inner)
{
    /// <summary>What is wrong, without the place.</summary>
    public string Problem { get; } = problem;

    /// <summary>Where, from 0: the byte of the data (of the inflated data, where it is compressed; 8, its begin, where it cannot be
    /// inflated), or the character of the line of a log.</summary>
    public long Offset { get; } = offset;

    /// <summary>The line of a log, from 1; null elsewhere.</summary>
    public long? Line { get; } = line;
}
