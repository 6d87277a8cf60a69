using System.Buffers;
using System.Buffers.Text;
using System.Text;

namespace Picollo.Export;

/// <summary>Writes interval logs (<c>.hlog</c>) as the HdrHistogram family does, format version 1.3.</summary>
/// <remarks>
/// <para>Each call makes one write to the stream, of whole lines. Where a write fails, what it left of a line is cut off again, or, in a
/// stream that cannot be cut, ended before the next line.</para>
/// <para>Not thread-safe. For a log of live histograms there is <see cref="HdrHistogramLogRecorder"/>.</para>
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

    // With the longest histogram, some 75 million bytes, it stays far below the line that our reader refuses.
    private const int MaxTextLength = 1 << 20;

    private static readonly SearchValues<char> TagDelimiters = SearchValues.Create(", \r\n");

    private readonly Stream _stream;
    private readonly bool _leaveOpen;
    private readonly double _maxValueUnitRatio;
    private readonly ArrayBufferWriter<byte> _lines = new();
    private DateTime _baseTimeUtc = DateTime.UnixEpoch;
    private bool _hasBaseTime; // it is in the log, or nothing before could have set another
    private bool _isBroken; // the log ends in a part of a line

    /// <summary>Creates a log.</summary>
    /// <param name="path">Of the file; one that is there is replaced. Others may read it meanwhile.</param>
    /// <param name="maxValueUnitRatio">What the largest value, which stands beside each histogram for people, is divided by; above 0.
    /// Unless set, nanoseconds are printed as milliseconds, as the family does.</param>
    /// <exception cref="ArgumentOutOfRangeException">The ratio is outside its range.</exception>
    /// <exception cref="IOException">The file cannot be created.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be created.</exception>
    public HdrHistogramLogWriter(string path, double maxValueUnitRatio = UnitRatio.NanosecondsPerMillisecond)
        : this(Create(path, maxValueUnitRatio), maxValueUnitRatio)
    {
    }

    /// <summary>Writes a log to a stream.</summary>
    /// <param name="stream">Where to.</param>
    /// <param name="maxValueUnitRatio">What the largest value, which stands beside each histogram for people, is divided by; above 0.
    /// Unless set, nanoseconds are printed as milliseconds, as the family does.</param>
    /// <param name="leaveOpen">Whether the stream stays open when the writer is disposed.</param>
    /// <exception cref="ArgumentNullException">No stream.</exception>
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

    /// <summary>The length of the log, which differs from the position if another process changed it.</summary>
    internal long Length => _stream.Length;

    /// <summary>Writes what stands before the intervals: a comment, the format's version, the start time, the base time, the same, and the
    /// legend. The intervals' timestamps count from it.</summary>
    /// <param name="startTime">The log's start, written in UTC to a millisecond, rounded down. A <see cref="DateTime"/> of unspecified
    /// kind converts as a local time, here and elsewhere.</param>
    /// <param name="comment">Who writes it, and whatever else should be known; null for none.</param>
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
    /// <param name="comment">One line; <c>#</c> is put before it.</param>
    /// <exception cref="ArgumentNullException">No comment.</exception>
    /// <exception cref="ArgumentException">It has several lines or more than 1,048,576 characters.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    /// <exception cref="ObjectDisposedException">The writer is disposed.</exception>
    public void WriteComment(string comment)
    {
        ArgumentNullException.ThrowIfNull(comment);
        AddComment(comment);
        WriteLines();
    }

    /// <summary>Writes an interval.</summary>
    /// <param name="histogram">What was counted in it. Is read once.</param>
    /// <param name="startTime">Its start, written to a millisecond, rounded down, from the header's time or, without a header, from
    /// 1970.</param>
    /// <param name="endTime">Its end.</param>
    /// <param name="tag">Which of the log's histograms it is, without comma, space or line end; null for no tag.</param>
    /// <remarks>For what the format holds of a histogram see <see cref="HdrHistogramEncoding"/>. Without a header, in a stream with earlier
    /// content, a base time of 1970 is written before the first interval, because that content may have set another. In a stream that
    /// cannot seek it is not; append to such a log with a header. Allocates several times what is written.</remarks>
    /// <exception cref="ArgumentNullException">No histogram.</exception>
    /// <exception cref="ArgumentException">The tag is empty, has a comma, space or line end or more than 1,048,576 characters, or a value
    /// or count is above 2⁶³−1.</exception>
    /// <exception cref="IOException">The write failed.</exception>
    /// <exception cref="ObjectDisposedException">The histogram or the writer is disposed.</exception>
    public void WriteInterval(ReadOnlyHdrHistogram histogram, DateTimeOffset startTime, DateTimeOffset endTime, string? tag = null)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        CheckTag(tag);
        using var encoder = new HdrHistogramEncoder();
        encoder.Encode(histogram, compress: true);
        ulong max = histogram.Layout.UpperBoundOf(encoder.LargestStart);
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
            throw new ArgumentException($"A tag has 1 to {MaxTextLength} characters, or is null for none.", nameof(tag));
        }

        if (tag.AsSpan().ContainsAny(TagDelimiters))
        {
            throw new ArgumentException($"A tag cannot have a comma, a space or a line end: '{tag}'.", nameof(tag));
        }
    }

    internal static void CheckComment(string? comment)
    {
        if (comment is { Length: > MaxTextLength } || comment.AsSpan().ContainsAny('\r', '\n'))
        {
            throw new ArgumentException($"A comment is a single line, of {MaxTextLength} characters at the most.", nameof(comment));
        }
    }

    // Without a buffer: a write call is a write to the file, which a kill can hardly split.
    private static FileStream Create(string path, double maxValueUnitRatio)
    {
        UnitRatio.Check(maxValueUnitRatio); // before a file is replaced
        return new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read | FileShare.Delete, bufferSize: 0);
    }

    /// <summary>The time in UTC, rounded down.</summary>
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

    /// <summary>Writes the lines by one call.</summary>
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
                CutBack(start);
                throw;
            }
        }
        finally
        {
            _lines.ResetWrittenCount();
        }
    }

    private void CutBack(long start)
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
                // What cannot be cut off is ended before the next line; the exception that matters is that of the write.
            }
        }
    }
}
