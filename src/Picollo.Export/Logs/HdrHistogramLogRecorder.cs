using System.Runtime.ExceptionServices;

namespace Picollo.Export;

/// <summary>Writes an interval log of live histograms on a timer: what each has counted since its last line, so that every record is in
/// exactly one interval.</summary>
/// <remarks>
/// <para><b>Files.</b> The path's file is the one that is written; <c>name.1.hlog</c> was before it, and so on, up to
/// <see cref="HdrHistogramLogRecorderOptions.FilesKept"/>, the options' 10 unless set. Each has a header of its own. A file that is there
/// at the start is put aside like that. One that is deleted, renamed, replaced or cut off while it is written, as <c>logrotate</c> does, is
/// noticed at the next line: a new file is begun. A path is for one recorder: a second one in the process is refused, as is one whose path
/// is that of an old file of the first, or the reverse (<c>a.hlog</c> and <c>a.1.hlog</c>); in another process, it puts the first one's
/// file aside, which goes on there.</para>
/// <para><b>Errors.</b> Where a line cannot be written, on a full disk or a lost one, the error is reported and the counts are kept: the
/// next line that can be written covers all that was not. Each interval is tried anew. An unexpected exception ends the
/// recording: it is reported, and <see cref="DisposeAsync"/> throws it. A killed process leaves whole lines, because
/// each line is one write; only the kernel could split it, and <see cref="HdrHistogramLogReader"/> names such a last line.</para>
/// <para><b>Caveats.</b> A histogram of another precision than 1 to 5 significant digits is read with a finer
/// <see cref="ReadOnlyHdrHistogram.RelativeError"/> than it was recorded (<see cref="HdrHistogramEncoding"/>). A reset of a recorded
/// histogram takes what it counted since its last line with it. Values and counts above 2⁶³−1, which a log cannot hold, cost the interval
/// they are in; that is reported. A disposed histogram is reported and left out from then on.</para>
/// <para>Costs a read of each histogram at each interval, and 16 bytes a bucket, half as much again while a line cannot be written.
/// Thread-safe.</para>
/// <example>
/// <code>
/// await using var recorder = new HdrHistogramLogRecorder("latency.hlog", TimeSpan.FromSeconds(1));
/// recorder.Add(latency);
/// recorder.Add(orders, tag: "orders");
/// </code>
/// </example>
/// </remarks>
public sealed class HdrHistogramLogRecorder : IAsyncDisposable, IDisposable
{
    private static readonly TimeSpan LongestInterval = TimeSpan.FromDays(49); // a timer takes no more than 2³² ms

    private readonly Lock _gate = new();
    private readonly TimeProvider _time;
    private readonly Action<Exception>? _onError;
    private readonly ITimer _timer;

    // Guarded by _gate.
    private readonly RollingLog _log;
    private readonly List<RecordedHistogram> _histograms = [];
    private bool _disposed;
    private bool _isDisposedInCallback; // OnError disposed it: the timer's call, which is under way, closes the log
    private ExceptionDispatchInfo? _fault; // what ended the recording

    /// <summary>Creates the log's file and starts the timer.</summary>
    /// <param name="path">The file's path; its folder must exist. A full disk is reported at the first line, not here.</param>
    /// <param name="interval">From one line of a histogram to its next; a millisecond to 49 days.</param>
    /// <param name="options">The rest; null for the defaults.</param>
    /// <exception cref="ArgumentException">The path is empty, or the comment has several lines or more than 1,048,576
    /// characters.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The interval or an option is outside its range.</exception>
    /// <exception cref="IOException">The file cannot be created, or another recorder of this process writes it or would
    /// replace it.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be created.</exception>
    public HdrHistogramLogRecorder(string path, TimeSpan interval, HdrHistogramLogRecorderOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentOutOfRangeException.ThrowIfLessThan(interval, TimeSpan.FromMilliseconds(1));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(interval, LongestInterval);
        options = options?.Copy() ?? new HdrHistogramLogRecorderOptions();
        ArgumentOutOfRangeException.ThrowIfLessThan(options.FilesKept, 1, "options.FilesKept");
        ArgumentOutOfRangeException.ThrowIfLessThan(options.MaxFileBytes ?? 1, 1, "options.MaxFileBytes");
        HdrHistogramLogWriter.CheckComment(options.Comment);
        UnitRatio.Check(options.MaxValueUnitRatio);
        _time = options.TimeProvider;
        _onError = options.OnError;
        _log = new RollingLog(path, options, Report);
        _timer = _time.CreateTimer(_ => OnTimer(), null, interval, interval);
    }

    /// <summary>Records a histogram from now on; what it counted before is not in the log.</summary>
    /// <param name="histogram">Is kept, and not disposed.</param>
    /// <param name="tag">Which it is, without comma, space or line end; null, for one histogram, for no tag. A disposed histogram's is free
    /// again.</param>
    /// <exception cref="ArgumentNullException">No histogram.</exception>
    /// <exception cref="ArgumentException">The tag is empty, has a comma, space or line end or more than 1,048,576 characters, or is
    /// another histogram's.</exception>
    /// <exception cref="ObjectDisposedException">The histogram or the recorder is disposed.</exception>
    public void Add(HdrHistogram histogram, string? tag = null)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        HdrHistogramLogWriter.CheckTag(tag);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (_histograms.Exists(other => other.Tag == tag && !other.IsEnded))
            {
                throw new ArgumentException(
                    tag is null ? "Another histogram has no tag." : $"Another histogram has the tag {tag}.", nameof(tag));
            }

            _histograms.Add(new RecordedHistogram(histogram, tag, _time.GetTimestamp()));
        }
    }

    /// <summary>Stops the timer, writes the last intervals and closes the log. What cannot be written then is reported and lost.</summary>
    /// <returns>A task that ends when the log is closed. It throws the unexpected exception that ended the recording, if there was one: a
    /// defect of the recorder, or an exception of the time provider.</returns>
    public async ValueTask DisposeAsync()
    {
        await _timer.DisposeAsync().ConfigureAwait(false);
        Close();
    }

    /// <summary>Does the same as <see cref="DisposeAsync"/> and blocks until the log is closed. In
    /// <see cref="HdrHistogramLogRecorderOptions.OnError"/> it does not block: the log is closed when the callback has
    /// returned.</summary>
    /// <exception cref="Exception">The unexpected exception that ended the recording, as in <see cref="DisposeAsync"/>.</exception>
    public void Dispose()
    {
        _timer.Dispose();
        Close();
    }

    private void Close()
    {
        if (_gate.IsHeldByCurrentThread)
        {
            _isDisposedInCallback = true;
            return;
        }

        lock (_gate)
        {
            if (!_disposed)
            {
                _disposed = true;
                using (_log)
                {
                    _fault?.Throw();
                    WriteIntervals();
                }

                _histograms.Clear();
            }
        }
    }

    private void OnTimer()
    {
        // Where the disk is slower than the timer, one write at a time; the next covers what this one leaves out.
        if (_gate.TryEnter())
        {
            try
            {
                if (!_disposed && _fault is null)
                {
                    WriteIntervals();
                }
            }
            catch (Exception e)
            {
                // A fault of the recorder or the time provider. On the timer's thread it would end the process.
                _fault = ExceptionDispatchInfo.Capture(e);
                Report(e);
            }
            finally
            {
                _gate.Exit();
            }

            if (_isDisposedInCallback)
            {
                CloseOnTimer();
            }
        }
    }

    private void CloseOnTimer()
    {
        try
        {
            Close();
        }
        catch (Exception e)
        {
            // No caller is left to throw it to. The fault that ended the recording has been reported.
            if (e != _fault?.SourceException)
            {
                Report(e);
            }
        }
    }

    private void WriteIntervals()
    {
        (long now, DateTimeOffset utcNow) = ReadClocks();
        foreach (RecordedHistogram recorded in _histograms.ToArray()) // OnError may add one
        {
            Read(recorded, now);
            if (recorded.Unwritten is { } unwritten)
            {
                // The length by the clock that nobody sets.
                WriteInterval(recorded, unwritten, utcNow - _time.GetElapsedTime(recorded.Since, now), utcNow, now);
            }
        }

        _histograms.RemoveAll(recorded => recorded is { IsDisposed: true, Unwritten: null });
    }

    private void Read(RecordedHistogram recorded, long now)
    {
        try
        {
            recorded.Read();
        }
        catch (ObjectDisposedException e)
        {
            Report(new ObjectDisposedException(
                recorded.Tag is { } tag
                    ? $"The recorded histogram with the tag {tag} is disposed."
                    : "The recorded histogram without a tag is disposed.",
                e));
        }
        catch (OverflowException e)
        {
            recorded.Forget(now); // no log can hold it, now or later
            Report(e);
        }
    }

    /// <summary>Both clocks at one moment: a thread that loses its processor between them would move the interval.</summary>
    private (long Timestamp, DateTimeOffset UtcNow) ReadClocks()
    {
        const int Tries = 10;
        for (int i = 1; ; i++)
        {
            long now = _time.GetTimestamp();
            DateTimeOffset utcNow = _time.GetUtcNow();
            if (i == Tries || _time.GetElapsedTime(now) < TimeSpan.FromMilliseconds(0.1))
            {
                return (now, utcNow);
            }
        }
    }

    private void WriteInterval(
        RecordedHistogram recorded, ReadOnlyHdrHistogram unwritten, DateTimeOffset start, DateTimeOffset end, long now)
    {
        try
        {
            _log.Write(unwritten, start, end, recorded.Tag);
            recorded.Forget(now);
        }
        catch (ArgumentException e) when (e.ParamName == "histogram")
        {
            recorded.Forget(now); // no log can hold it, now or later
            Report(e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            recorded.Keep(); // the next interval tries again
            Report(e);
        }
    }

    private void Report(Exception e)
    {
        try
        {
            _onError?.Invoke(e);
        }
        catch (Exception)
        {
            // The callback is the caller's code. On the timer's thread, its exception would end the process.
        }
    }
}
