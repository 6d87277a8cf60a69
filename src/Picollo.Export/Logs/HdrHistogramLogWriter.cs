using System.Buffers.Text;
using Picollo.Export.Text;

namespace Picollo.Export;

/// <summary>Writes interval logs (<c>.hlog</c>) in format version 1.3 of the HdrHistogram libraries.</summary>
/// <remarks>
/// <para>Each call writes complete lines to the stream, in a single write. After a failed write, a partial line is removed or, in a stream
/// that cannot be truncated, ended before the next line.</para>
/// <para>Not thread-safe. Use <see cref="HdrHistogramLogRecorder"/> to log live histograms.</para>
/// <example>
/// <code>
/// using var log = new HdrHistogramLogWriter("latency.hlog");
/// log.WriteHeader(start);
/// log.WriteInterval(histogram, start, end, tag: "orders");
/// </code>
/// </example>
/// </remarks>
public sealed class HdrHistogramLogWriter : IDisposable
{
    private const string Legend = "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"";

    // Together with the longest histogram, about 75 million bytes, a line is far below the limit of our reader.
    private const int MaxTextLength = 1 << 20;

    private static readonly SearchValues<char> TagDelimiters = SearchValues.Create(", \r\n");

    private readonly Stream _stream;
    private readonly bool _leaveOpen;
    private readonly double _maxValueUnitRatio;
    private readonly ArrayBufferWriter<byte> _lines = new();
    private DateTime _baseTimeUtc = DateTime.UnixEpoch;
    private bool _hasBaseTime; // the log has it, or no earlier content can have set another
    private bool _isBroken; // the log ends in a partial line

    /// <summary>Creates a log file.</summary>
    /// <param name="path">The path of the file. An existing file is replaced. Other processes can read the file while it is
    /// written.</param>
    /// <param name="maxValueUnitRatio">The divisor of the largest value, which each line contains for human readers; above 0. By default,
    /// nanoseconds are printed as milliseconds, as in the HdrHistogram libraries.</param>
    /// <exception cref="ArgumentOutOfRangeException">The ratio is outside its range.</exception>
    /// <exception cref="IOException">The file cannot be created.</exception>
    /// <exception cref="UnauthorizedAccessException">The user does not have permission to create the file.</exception>
    public HdrHistogramLogWriter(string path, double maxValueUnitRatio = UnitRatio.NanosecondsPerMillisecond)
        : this(Create(path, maxValueUnitRatio), maxValueUnitRatio)
    {
    }

    /// <summary>Creates a writer that writes a log to a stream.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="maxValueUnitRatio">The divisor of the largest value, which each line contains for human readers; above 0. By default,
    /// nanoseconds are printed as milliseconds, as in the HdrHistogram libraries.</param>
    /// <param name="leaveOpen"><see langword="true"/> to leave the stream open when the writer is disposed; otherwise,
    /// <see langword="false"/>.</param>
    /// <exception cref="ArgumentNullException"><paramref name="stream"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The ratio is outside its range.</exception>
    public HdrHistogramLogWriter(Stream stream, double maxValueUnitRatio = UnitRatio.NanosecondsPerMillisecond, bool leaveOpen = false)
    {
        ArgumentNullException.ThrowIfNull(stream);
        UnitRatio.Check(maxValueUnitRatio);
        _stream = stream;
        _maxValueUnitRatio = maxValueUnitRatio;
        _leaveOpen = leaveOpen;
    }

    /// <summary>The position of the next line, in a stream that can seek.</summary>
    internal long Position => _stream.Position;

    /// <summary>The length of the log. It differs from the position if another process changed the log.</summary>
    internal long Length => _stream.Length;

    /// <summary>Writes the header: a comment, the format version, the start time, an equal base time, and the legend. The timestamps of the
    /// intervals are relative to the base time.</summary>
    /// <param name="startTime">The start of the log, written in UTC and rounded down to a millisecond. A <see cref="DateTime"/> of
    /// unspecified kind is treated as local time, here and in other parameters.</param>
    /// <param name="comment">The comment, such as the name of the program that writes the log; <see langword="null"/> for none.</param>
    /// <exception cref="ArgumentException">The comment has several lines or more than 1,048,576 characters.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    /// <exception cref="ObjectDisposedException">The writer is disposed.</exception>
    public void WriteHeader(DateTimeOffset startTime, string? comment = null)
    {
        if (comment is not null)
        {
            AddComment(comment);
        }

        DateTime startTimeUtc = ToMilliseconds(startTime);
        string seconds = SecondsOf(startTimeUtc - DateTime.UnixEpoch);
        Add("#[Histogram log format version 1.3]\n");
        Add(string.Create(
            CultureInfo.InvariantCulture,
            $"#[StartTime: {seconds} (seconds since epoch), {startTimeUtc:ddd MMM dd HH:mm:ss 'UTC' yyyy}]\n"));
        Add($"#[BaseTime: {seconds} (seconds since epoch)]\n");
        Add(Legend + "\n");
        WriteLines();
        _baseTimeUtc = startTimeUtc;
        _hasBaseTime = true;
    }

    /// <summary>Writes a comment.</summary>
    /// <param name="comment">The comment, a single line. It is prefixed with <c>#</c>.</param>
    /// <exception cref="ArgumentNullException"><paramref name="comment"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The comment has several lines or more than 1,048,576 characters.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    /// <exception cref="ObjectDisposedException">The writer is disposed.</exception>
    public void WriteComment(string comment)
    {
        ArgumentNullException.ThrowIfNull(comment);
        AddComment(comment);
        WriteLines();
    }

    /// <summary>Writes an interval.</summary>
    /// <param name="histogram">The values of the interval. The histogram is read once.</param>
    /// <param name="startTime">The start of the interval, rounded down to a millisecond. It is written relative to the time in the header
    /// or, without a header, to 1970.</param>
    /// <param name="endTime">The end of the interval.</param>
    /// <param name="tag">The tag that identifies a histogram of the log, without commas, spaces or line breaks; <see langword="null"/> for
    /// no tag.</param>
    /// <remarks><see cref="HdrHistogramEncoding"/> describes which properties of a histogram the format holds. Without a header, in a
    /// stream that has earlier content, a base time of 1970 is written before the first interval, because the earlier content may have set
    /// another. This is not done for a stream that cannot seek; write a header to append to such a log. Allocates several times the number
    /// of bytes written.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="histogram"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The tag is empty, contains a comma, space or line break, has more than 1,048,576 characters, or
    /// a value or count is above 2⁶³−1.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    /// <exception cref="ObjectDisposedException">The histogram or the writer is disposed.</exception>
    public void WriteInterval(ReadOnlyHdrHistogram histogram, DateTimeOffset startTime, DateTimeOffset endTime, string? tag = null)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        CheckTag(tag);
        using var encoder = new HdrHistogramEncoder();
        ulong largestStart = encoder.Encode(histogram, compress: true);
        ulong max = histogram.Layout.GetEnd(histogram.Layout.GetIndex(largestStart));
        if (!_hasBaseTime && _stream is { CanSeek: true, Position: > 0 })
        {
            Add("#[BaseTime: 0.000 (seconds since epoch)]\n");
        }

        Add(tag is null ? "" : $"Tag={tag},");
        DateTime startTimeUtc = ToMilliseconds(startTime);
        Add(
            $"{SecondsOf(startTimeUtc - _baseTimeUtc)},{SecondsOf(endTime.UtcDateTime - startTimeUtc)},"
            + $"{FixedPoint.Format(max / _maxValueUnitRatio, 3)},");
        Base64.EncodeToUtf8(
            encoder.Written, _lines.GetSpan(Base64.GetMaxEncodedToUtf8Length(encoder.Written.Length)), out _, out int length);
        _lines.Advance(length);
        Add("\n");
        WriteLines();
        _hasBaseTime = true;
    }

    /// <summary>Closes the log.</summary>
    public void Dispose()
    {
        if (!_leaveOpen)
        {
            _stream.Dispose();
        }
    }

    internal static void CheckTag(string? tag)
    {
        if (tag is { Length: 0 or > MaxTextLength })
        {
            throw new ArgumentException($"A tag must have 1 to {MaxTextLength} characters, or be null.", nameof(tag));
        }

        if (tag.AsSpan().ContainsAny(TagDelimiters))
        {
            throw new ArgumentException($"A tag must not contain a comma, a space or a line break: '{tag}'.", nameof(tag));
        }
    }

    internal static void CheckComment(string? comment)
    {
        if (comment is { Length: > MaxTextLength } || comment.AsSpan().ContainsAny('\r', '\n'))
        {
            throw new ArgumentException($"A comment must be a single line of at most {MaxTextLength} characters.", nameof(comment));
        }
    }

    // There is no buffer, so that each call is one write to the file, which is unlikely to be split if the process is killed.
    private static FileStream Create(string path, double maxValueUnitRatio)
    {
        UnitRatio.Check(maxValueUnitRatio); // checked before a file is replaced
        return new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read | FileShare.Delete, bufferSize: 0);
    }

    /// <summary>Converts a time to UTC, rounded down to a millisecond.</summary>
    private static DateTime ToMilliseconds(DateTimeOffset time) =>
        time.UtcDateTime.AddTicks(-(time.UtcTicks % TimeSpan.TicksPerMillisecond));

    private static string SecondsOf(TimeSpan time) =>
        decimal.Round((decimal)time.Ticks / TimeSpan.TicksPerSecond, 3, MidpointRounding.AwayFromZero)
            .ToString("F3", CultureInfo.InvariantCulture);

    private void AddComment(string comment)
    {
        CheckComment(comment);
        Add($"#{comment}\n");
    }

    private void Add(string text) => Encoding.UTF8.GetBytes(text, _lines);

    /// <summary>Writes the pending lines with one call.</summary>
    private void WriteLines()
    {
        try
        {
            if (_isBroken)
            {
                _stream.Write("\n"u8);
                _isBroken = false;
            }

            long start = _stream.CanSeek ? _stream.Position : 0;
            try
            {
                _stream.Write(_lines.WrittenSpan);
            }
            catch (IOException)
            {
                RemovePartialLine(start);
                throw;
            }
        }
        finally
        {
            _lines.ResetWrittenCount();
        }
    }

    private void RemovePartialLine(long start)
    {
        _isBroken = true;
        if (_stream.CanSeek)
        {
            try
            {
                _stream.SetLength(start);
                _stream.Position = start;
                _isBroken = false;
            }
            catch (Exception e) when (e is IOException or NotSupportedException or UnauthorizedAccessException)
            {
                // A partial line that cannot be removed is ended before the next line. The exception of the write is the one to report.
            }
        }
    }
}
