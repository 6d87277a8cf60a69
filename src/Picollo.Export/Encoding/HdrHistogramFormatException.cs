namespace Picollo.Export;

/// <summary>The exception for data that is not a histogram or a histogram log, or that is damaged. It reports the position. Callers see a
/// <see cref="FormatException"/>, whose message includes the position.</summary>
internal sealed class HdrHistogramFormatException(string problem, long offset, long? line = null, Exception? inner = null)
    : FormatException(line is null ? $"{problem} (at byte {offset})" : $"{problem} (line {line}, character {offset})", inner)
{
    /// <summary>The description of the error, without the position.</summary>
    public string Problem { get; } = problem;

    /// <summary>The position of the error, from 0: the byte of the data (of the decompressed data if it is compressed; 8 if it cannot be
    /// decompressed), or the character of the line of a log.</summary>
    public long Offset { get; } = offset;

    /// <summary>The line of a log, from 1; null for other data.</summary>
    public long? Line { get; } = line;
}
