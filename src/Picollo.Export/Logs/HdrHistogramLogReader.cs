using System.Buffers.Text;
using System.Text;

namespace Picollo.Export;

/// <summary>Reads interval logs (<c>.hlog</c>) of the HdrHistogram family, line by line: a log of any length takes the memory of its
/// longest line and one histogram.</summary>
/// <remarks>
/// <para>A log has comments (<c>#…</c>), two of which give times (<c>#[StartTime: s</c> and <c>#[BaseTime: s</c>, in seconds
/// since 1970), a legend (<c>"StartTimestamp"…</c>), and intervals: <c>Tag=name,</c> where there is one, then timestamp, length, largest
/// value and histogram, in base64, with a comma or space between them. Blank lines and what follows a histogram are passed over.
/// Lines end in LF, CR or CR LF.</para>
/// <para>Timestamps count from the base time. Without one they do so from the start time if the first of them is more than 365 days before
/// it, and are absolute otherwise; without a start time the first timestamp is it. A later line with a time holds from there on. All of it
/// is what HdrHistogram 2.1.11 for Java makes of a log; besides, a whole last line without its end is read, and a time before 1970.</para>
/// <para>The messages of errors (<see cref="FormatException"/>) name line and character. The next <see cref="Read()"/> goes on with
/// the next line, so that a damaged line need not cost the rest.</para>
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
    private static readonly TimeSpan Year = TimeSpan.FromDays(365);

    private readonly Stream _stream;
    private readonly bool _leaveOpen;
    private readonly LogLines _lines;
    private readonly SortedSet<string> _tags = new(StringComparer.Ordinal);
    private byte[] _encoded = [];

    // Since 1970.
    private TimeSpan? _start;
    private TimeSpan? _base;

    /// <summary>Opens a log.</summary>
    /// <param name="path">Of the file, which another process may still write.</param>
    /// <exception cref="IOException">The file cannot be opened.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be read.</exception>
    public HdrHistogramLogReader(string path)
        : this(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0))
    {
    }

    /// <summary>Reads a log from a stream, in large pieces.</summary>
    /// <param name="stream">Text in UTF-8, or in UTF-16 with a byte-order mark, as HdrHistogram.NET writes it.</param>
    /// <param name="leaveOpen">Whether the stream stays open when the reader is disposed.</param>
    /// <exception cref="ArgumentNullException">No stream.</exception>
    public HdrHistogramLogReader(Stream stream, bool leaveOpen = false)
    {
        ArgumentNullException.ThrowIfNull(stream);
        _stream = stream;
        _leaveOpen = leaveOpen;
        _lines = new LogLines(stream);
    }

    /// <summary>The start time that was read last, or, where there is none, the time of the first interval, in UTC (offset 0); null before
    /// either.</summary>
    public DateTimeOffset? StartTime => _start is { } start ? DateTimeOffset.UnixEpoch + start : null;

    /// <summary>What timestamps count from, in UTC (offset 0); null where they are absolute and before the first interval of a log that
    /// does not say.</summary>
    public DateTimeOffset? BaseTime => _base is { Ticks: not 0 } time ? DateTimeOffset.UnixEpoch + time : null;

    /// <summary>The tags of the intervals that were read, and of those that were passed over, in ordinal order.</summary>
    public IReadOnlyCollection<string> Tags => _tags;

    /// <summary>Reads up to and including the next interval.</summary>
    /// <returns>The interval; null at the end.</returns>
    /// <exception cref="FormatException">A line is wrong: cut off, which is said of the last line of a log whose writer was
    /// killed, damaged, or of 134,217,728 bytes and more. The next call goes on after it.</exception>
    /// <exception cref="IOException">The log cannot be read.</exception>
    /// <exception cref="ObjectDisposedException">The reader is disposed.</exception>
    public HdrHistogramLogInterval? Read() => Read(TimeSpan.MinValue, TimeSpan.MaxValue);

    /// <summary>Reads up to and including the next interval that starts in a time. The histograms of others are not decoded.</summary>
    /// <param name="from">The first start, since the log's start (<see cref="HdrHistogramLogInterval.Offset"/>).</param>
    /// <param name="to">Intervals that start then or later are passed over.</param>
    /// <returns>The interval; null at the end of the log.</returns>
    /// <inheritdoc cref="Read()"/>
    public HdrHistogramLogInterval? Read(TimeSpan from, TimeSpan to) => Read((_, offset) => offset >= from && offset < to);

    /// <summary>Reads up to and including the next interval that starts in a time. The histograms of others are not decoded.</summary>
    /// <param name="from">The first start.</param>
    /// <param name="to">Intervals that start then or later are passed over.</param>
    /// <returns>The interval; null at the end of the log.</returns>
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

    /// <summary>Reads the intervals that are left.</summary>
    /// <returns>Each as <see cref="Read()"/> returns it, when it is asked for. A wrong line ends the enumeration with an exception; a new
    /// one goes on after it.</returns>
    public IEnumerable<HdrHistogramLogInterval> ReadAll()
    {
        while (Read() is { } interval)
        {
            yield return interval;
        }
    }

    /// <summary>Closes the log.</summary>
    public void Dispose()
    {
        if (!_leaveOpen)
        {
            _stream.Dispose();
        }
    }

    /// <returns>Null for a line without an interval, or without one that is wanted.</returns>
    private HdrHistogramLogInterval? Parse(ReadOnlySpan<byte> line, Func<DateTimeOffset, TimeSpan, bool> isWanted)
    {
        var fields = new LogFields(line);
        ReadOnlySpan<byte> first = fields.Next();
        if (first.StartsWith("#"u8))
        {
            ParseComment(line, first, ref fields);
            return null;
        }

        if (first.StartsWith("\"StartTimestamp\""u8))
        {
            return null;
        }

        string? tag = null;
        if (first.StartsWith("Tag="u8))
        {
            tag = Encoding.UTF8.GetString(first["Tag=".Length..]);
        }
        else
        {
            fields = new LogFields(line);
        }

        TimeSpan timestamp = ReadSeconds(line, ref fields, "timestamp");
        TimeSpan length = ReadSeconds(line, ref fields, "length");
        if (!double.TryParse(fields.Next(), NumberStyles.Float, CultureInfo.InvariantCulture, out double max))
        {
            throw Wrong(line, fields.Position, "No number stands for the largest value");
        }

        TimeSpan logStart = _start ?? timestamp;
        TimeSpan logBase = _base ?? (timestamp < logStart - Year ? logStart : TimeSpan.Zero);
        TimeSpan start = timestamp + logBase;
        if (!IsTime(start) || !IsTime(logStart))
        {
            throw Wrong(line, 0, "The timestamp is outside the years 1 to 9999");
        }

        DateTimeOffset startTime = DateTimeOffset.UnixEpoch + start;
        HdrHistogramLogInterval? interval = isWanted(startTime, start - logStart)
            ? new(tag, startTime, start - logStart, length, max, Decode(line, fields.Next(), fields.Position))
            : null;

        // A line that is wrong as a whole has no say in the log's times and tags.
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
        if ((isStart || first.SequenceEqual("#[BaseTime:"u8)) && fields.TryNextSeconds(out TimeSpan time) && IsTime(time))
        {
            if (!_lines.IsTerminated && !line.EndsWith("]"u8))
            {
                throw Wrong(line, fields.Position, "A time without its end");
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
            throw Wrong(line, position, "No histogram in base64");
        }

        try
        {
            return HdrHistogramEncoding.Decode(_encoded.AsSpan(0, decoded));
        }
        catch (HdrHistogramFormatException e)
        {
            throw Wrong(line, position, $"{e.Problem}, at byte {e.Offset} of the histogram", e);
        }
    }

    private TimeSpan ReadSeconds(ReadOnlySpan<byte> line, ref LogFields fields, string name) =>
        fields.TryNextSeconds(out TimeSpan seconds)
            ? seconds
            : throw Wrong(line, fields.Position, $"No number of seconds stands for the {name}");

    private HdrHistogramFormatException Wrong(ReadOnlySpan<byte> line, int position, string problem, Exception? inner = null) => new(
        _lines.IsTerminated ? problem : $"The last line is cut off: {problem}",
        Encoding.UTF8.GetCharCount(line[..position]),
        _lines.Number,
        inner);

    private static bool IsTime(TimeSpan sinceEpoch) =>
        sinceEpoch >= DateTime.MinValue - DateTime.UnixEpoch && sinceEpoch <= DateTime.MaxValue - DateTime.UnixEpoch;
}
