using System.Buffers.Text;

namespace Picollo.Export;

/// <summary>Reads interval logs (<c>.hlog</c>) of the HdrHistogram libraries, line by line. A log of any length takes the memory of its
/// longest line and one histogram.</summary>
/// <remarks>
/// <para>A log consists of comments (<c>#…</c>), a legend (<c>"StartTimestamp"…</c>) and intervals. Two comments specify times, in seconds
/// since 1970: <c>#[StartTime: s</c> and <c>#[BaseTime: s</c>. An interval has an optional <c>Tag=name,</c>, then the timestamp, the
/// length, the largest value and the histogram in base64, separated by commas or spaces. Blank lines and text after a histogram are
/// ignored. Lines end in LF, CR or CR LF.</para>
/// <para>Timestamps are relative to the base time. Without a base time, they are relative to the start time if the first timestamp is more
/// than 365 days before it; otherwise, they are absolute. Without a start time, the first timestamp is the start time. A later line that
/// specifies a time applies to the lines after it. These rules are those of HdrHistogram 2.1.11 for Java. In addition, this reader accepts
/// a complete last line without a line ending, times before 1970, and the decimal commas that HdrHistogram.NET writes in some
/// cultures.</para>
/// <para>Error messages (<see cref="FormatException"/>) include the line and the character. After an error, <see cref="Read()"/> continues
/// with the next line, so a damaged line does not prevent reading the rest.</para>
/// <para>Not thread-safe.</para>
/// <example>
/// <code>
/// using var log = new HdrHistogramLogReader("latency.hlog");
/// foreach (HdrHistogramLogInterval interval in log.ReadAll())
/// {
///     Console.WriteLine($"{interval.StartTime:O} {interval.Histogram.GetPercentileValue(99)}");
/// }
/// </code>
/// </example>
/// </remarks>
public sealed class HdrHistogramLogReader : IDisposable
{
    private const int NumberCount = 3; // timestamp, length and largest value

    private static readonly TimeSpan Year = TimeSpan.FromDays(365);

    private readonly Stream _stream;
    private readonly bool _leaveOpen;
    private readonly LogLines _lines;
    private readonly SortedSet<string> _tags = new(StringComparer.Ordinal);
    private byte[] _encoded = [];

    // Relative to 1970.
    private TimeSpan? _start;
    private TimeSpan? _base;

    /// <summary>Opens a log.</summary>
    /// <param name="path">The path of the file. Another process may be writing the file.</param>
    /// <exception cref="IOException">The file cannot be opened.</exception>
    /// <exception cref="UnauthorizedAccessException">The user does not have permission to read the file.</exception>
    public HdrHistogramLogReader(string path)
        : this(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0))
    {
    }

    /// <summary>Opens a log in a stream, which is read in large blocks.</summary>
    /// <param name="stream">The stream. Its text is in UTF-8, or in UTF-16 with a byte-order mark, which HdrHistogram.NET writes.</param>
    /// <param name="leaveOpen"><see langword="true"/> to leave the stream open when the reader is disposed; otherwise,
    /// <see langword="false"/>.</param>
    /// <exception cref="ArgumentNullException"><paramref name="stream"/> is <see langword="null"/>.</exception>
    public HdrHistogramLogReader(Stream stream, bool leaveOpen = false)
    {
        ArgumentNullException.ThrowIfNull(stream);
        _stream = stream;
        _leaveOpen = leaveOpen;
        _lines = new LogLines(stream);
    }

    private static ReadOnlySpan<byte> Legend => "\"StartTimestamp\""u8;

    private static ReadOnlySpan<byte> TagPrefix => "Tag="u8;

    /// <summary>The last start time in the log or, if there is none, the time of the first interval, in UTC (offset 0);
    /// <see langword="null"/> before either is read.</summary>
    public DateTimeOffset? StartTime => _start is { } start ? DateTimeOffset.UnixEpoch + start : null;

    /// <summary>The time that timestamps are relative to, in UTC (offset 0); <see langword="null"/> if timestamps are absolute, and before
    /// the first interval of a log that does not specify it.</summary>
    public DateTimeOffset? BaseTime => _base is { Ticks: not 0 } time ? DateTimeOffset.UnixEpoch + time : null;

    /// <summary>The tags of all intervals so far, including those that were skipped, in ordinal order.</summary>
    public IReadOnlyCollection<string> Tags => _tags;

    /// <summary>Reads the next interval.</summary>
    /// <returns>The interval; <see langword="null"/> at the end of the log.</returns>
    /// <exception cref="FormatException">A line is damaged, has 134,217,728 bytes or more, or is a truncated last line, which a killed
    /// writer can leave. The next call continues after the line.</exception>
    /// <exception cref="IOException">The log cannot be read.</exception>
    /// <exception cref="ObjectDisposedException">The reader is disposed.</exception>
    public HdrHistogramLogInterval? Read() => Read(TimeSpan.MinValue, TimeSpan.MaxValue);

    /// <summary>Reads the next interval that starts within a period of time. The histograms of other intervals are not decoded.</summary>
    /// <param name="from">The inclusive lower bound of the start, relative to the start of the log
    /// (<see cref="HdrHistogramLogInterval.Offset"/>).</param>
    /// <param name="to">The exclusive upper bound of the start.</param>
    /// <returns>The interval; <see langword="null"/> at the end of the log.</returns>
    /// <inheritdoc cref="Read()"/>
    public HdrHistogramLogInterval? Read(TimeSpan from, TimeSpan to) => Read((_, offset) => offset >= from && offset < to);

    /// <summary>Reads the next interval that starts within a period of time. The histograms of other intervals are not decoded.</summary>
    /// <param name="from">The inclusive lower bound of the start.</param>
    /// <param name="to">The exclusive upper bound of the start.</param>
    /// <returns>The interval; <see langword="null"/> at the end of the log.</returns>
    /// <inheritdoc cref="Read()"/>
    public HdrHistogramLogInterval? Read(DateTimeOffset from, DateTimeOffset to) => Read((start, _) => start >= from && start < to);

    private HdrHistogramLogInterval? Read(Func<DateTimeOffset, TimeSpan, bool> isWanted)
    {
        while (_lines.TryRead(out ReadOnlySpan<byte> line))
        {
            if (line.IndexOfAnyExcept(" \t"u8) >= 0 && Parse(line, isWanted) is { } interval)
            {
                return interval;
            }
        }

        return null;
    }

    /// <summary>Reads the remaining intervals.</summary>
    /// <returns>The intervals, as <see cref="Read()"/> returns them. Each is read when it is requested. An invalid line ends the
    /// enumeration with an exception; a new enumeration continues after the line.</returns>
    public IEnumerable<HdrHistogramLogInterval> ReadAll()
    {
        while (Read() is { } interval)
        {
            yield return interval;
        }
    }

    /// <summary>Returns whether a line is a legend or an interval, which only interval logs contain. The end of the line may be
    /// missing.</summary>
    internal static bool IsLogLine(ReadOnlySpan<byte> line)
    {
        var fields = new LogFields(line);
        ReadOnlySpan<byte> first = fields.Next();
        if (first.StartsWith(Legend))
        {
            return true;
        }

        fields = first.StartsWith(TagPrefix) ? fields : new LogFields(line);
        fields.FindDecimalCommas(NumberCount);
        return fields.TryNextSeconds(out _) && fields.TryNextSeconds(out _) && fields.TryNextNumber(out _)
            && LogFields.IsHistogram(fields.Next());
    }

    /// <summary>Closes the log.</summary>
    public void Dispose()
    {
        if (!_leaveOpen)
        {
            _stream.Dispose();
        }
    }

    /// <returns>Null if the line has no interval, or one that is not wanted.</returns>
    private HdrHistogramLogInterval? Parse(ReadOnlySpan<byte> line, Func<DateTimeOffset, TimeSpan, bool> isWanted)
    {
        var fields = new LogFields(line);
        ReadOnlySpan<byte> first = fields.Next();
        if (first.StartsWith("#"u8))
        {
            ParseComment(line, first, ref fields);
            return null;
        }

        if (first.StartsWith(Legend))
        {
            return null;
        }

        string? tag = null;
        if (first.StartsWith(TagPrefix))
        {
            tag = Encoding.UTF8.GetString(first[TagPrefix.Length..]);
        }
        else
        {
            fields = new LogFields(line);
        }

        fields.FindDecimalCommas(NumberCount);
        TimeSpan timestamp = ReadSeconds(line, ref fields, "timestamp");
        TimeSpan length = ReadSeconds(line, ref fields, "length");
        if (!fields.TryNextNumber(out double max))
        {
            throw Invalid(line, fields.Position, "The largest value is not a number");
        }

        TimeSpan logStart = _start ?? timestamp;
        TimeSpan logBase = _base ?? (timestamp < logStart - Year ? logStart : TimeSpan.Zero);
        TimeSpan start = timestamp + logBase;
        if (!IsTime(start) || !IsTime(logStart))
        {
            throw Invalid(line, 0, "The timestamp is outside the years 1 to 9999");
        }

        DateTimeOffset startTime = DateTimeOffset.UnixEpoch + start;
        HdrHistogramLogInterval? interval = isWanted(startTime, start - logStart)
            ? new(tag, startTime, start - logStart, length, max, Decode(line, fields.Next(), fields.Position))
            : null;

        // An invalid line must not change the times and tags of the log.
        (_start, _base) = (logStart, logBase);
        if (tag is not null)
        {
            _tags.Add(tag);
        }

        return interval;
    }

    private void ParseComment(ReadOnlySpan<byte> line, ReadOnlySpan<byte> first, ref LogFields fields)
    {
        bool isStart = first.SequenceEqual("#[StartTime:"u8);
        fields.FindDecimalCommas(1);
        if ((isStart || first.SequenceEqual("#[BaseTime:"u8)) && fields.TryNextSeconds(out TimeSpan time) && IsTime(time))
        {
            if (!_lines.IsTerminated && !line.EndsWith("]"u8))
            {
                throw Invalid(line, fields.Position, "The time is incomplete");
            }

            if (isStart)
            {
                _start = time;
            }
            else
            {
                _base = time;
            }
        }
    }

    private PlainHdrHistogram<ulong> Decode(ReadOnlySpan<byte> line, ReadOnlySpan<byte> text, int position)
    {
        int length = Base64.GetMaxDecodedFromUtf8Length(text.Length);
        if (_encoded.Length < length)
        {
            _encoded = new byte[Math.Max(length, 2 * _encoded.Length)];
        }

        if (text.IsEmpty || Base64.DecodeFromUtf8(text, _encoded, out _, out int decoded) != System.Buffers.OperationStatus.Done)
        {
            throw Invalid(line, position, "The histogram is not valid base64");
        }

        try
        {
            return HdrHistogramEncoding.Decode(_encoded.AsSpan(0, decoded));
        }
        catch (HdrHistogramFormatException e)
        {
            throw Invalid(line, position, $"{e.Problem}, at byte {e.Offset} of the histogram", e);
        }
    }

    private TimeSpan ReadSeconds(ReadOnlySpan<byte> line, ref LogFields fields, string name) =>
        fields.TryNextSeconds(out TimeSpan seconds)
            ? seconds
            : throw Invalid(line, fields.Position, $"The {name} is not a number of seconds");

    private HdrHistogramFormatException Invalid(ReadOnlySpan<byte> line, int position, string problem, Exception? inner = null) => new(
        _lines.IsTerminated ? problem : $"The last line is truncated: {problem}",
        Encoding.UTF8.GetCharCount(line[..position]),
        _lines.Number,
        inner);

    private static bool IsTime(TimeSpan sinceEpoch) =>
        sinceEpoch >= DateTime.MinValue - DateTime.UnixEpoch && sinceEpoch <= DateTime.MaxValue - DateTime.UnixEpoch;
}
