using System.Runtime.ExceptionServices;
using Picollo.Export.Text;

namespace Picollo.Export;

/// <summary>Writes an interval log of live histograms on a timer. Each line has the values that a histogram recorded since its last line,
/// so every value is in exactly one interval.</summary>
/// <remarks>
/// <para><b>Files.</b> The current file has the specified path. Older files are <c>name.1.hlog</c>, <c>name.2.hlog</c> and so on;
/// <see cref="HdrHistogramLogRecorderOptions.FilesKept"/> files are kept, 10 by default. Each file has a header. A file that exists at the
/// start is renamed in the same way. If the current file is deleted, renamed, replaced or truncated, as <c>logrotate</c> does, the recorder
/// starts a new file at the next line. Within a process, two recorders must not use the same path, and the path of one must not be that of
/// an older file of the other (<c>a.hlog</c> and <c>a.1.hlog</c>): <see cref="Start"/> throws an exception. A recorder in another process
/// renames the file of the first recorder, which continues to write to it.</para>
/// <para><b>Errors.</b> If a line cannot be written, for example because the disk is full, the error is reported and the counts are kept.
/// The recorder retries at each interval, and the next line that can be written contains all unwritten counts. An unexpected exception ends
/// the recording. It is reported, and <see cref="DisposeAsync"/> throws it. A killed process leaves complete lines, because each line is
/// one write. Only the kernel could split a write; <see cref="HdrHistogramLogReader"/> reports a last line that was split.</para>
/// <para><b>Caveats.</b> A histogram with a precision other than 1 to 5 significant digits is read with a finer
/// <see cref="ReadOnlyHdrHistogram.RelativeError"/> than it was recorded with (<see cref="HdrHistogramEncoding"/>). If a recorded histogram
/// is reset, the values since its last line are lost. If an interval has values or counts above 2⁶³−1, which a log cannot hold, the
/// interval is lost and an error is reported. A disposed histogram is reported and then ignored.</para>
/// <para>At each interval, the recorder reads each histogram. The recorder takes 16 bytes per bucket, and 24 while a line cannot be
/// written. Thread-safe.</para>
/// <example>
/// <code>
/// await using var recorder = HdrHistogramLogRecorder.Start("latency.hlog", TimeSpan.FromSeconds(1));
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
    private bool _isDisposedInCallback; // OnError disposed it: the current timer call closes the log
    private ExceptionDispatchInfo? _fault; // the exception that ended the recording

    private HdrHistogramLogRecorder(string path, TimeSpan interval, HdrHistogramLogRecorderOptions options)
    {
        (_time, _onError) = (options.TimeProvider, options.OnError);
        _log = new RollingLog(path, options, Report);
        _timer = _time.CreateTimer(_ => OnTimer(), null, interval, interval);
    }

    /// <summary>Creates the log file and starts the timer.</summary>
    /// <param name="path">The path of the file. Its directory must exist. A full disk is reported at the first line, not here.</param>
    /// <param name="interval">The time between two lines of a histogram: 1 ms to 49 days.</param>
    /// <param name="options">The options; <see langword="null"/> for the defaults.</param>
    /// <returns>The running recorder, which has no histogram yet.</returns>
    /// <exception cref="ArgumentException">The path is empty, or the comment has several lines or more than 1,048,576
    /// characters.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The interval or an option is outside its range.</exception>
    /// <exception cref="IOException">The file cannot be created, or another recorder of this process uses it or would replace
    /// it.</exception>
    /// <exception cref="UnauthorizedAccessException">The user does not have permission to create the file.</exception>
    public static HdrHistogramLogRecorder Start(string path, TimeSpan interval, HdrHistogramLogRecorderOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentOutOfRangeException.ThrowIfLessThan(interval, TimeSpan.FromMilliseconds(1));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(interval, LongestInterval);
        options = options?.Copy() ?? new HdrHistogramLogRecorderOptions();
        ArgumentOutOfRangeException.ThrowIfLessThan(options.FilesKept, 1, "options.FilesKept");
        ArgumentOutOfRangeException.ThrowIfLessThan(options.MaxFileBytes ?? 1, 1, "options.MaxFileBytes");
        HdrHistogramLogWriter.CheckComment(options.Comment);
        UnitRatio.Check(options.MaxValueUnitRatio);
        return new HdrHistogramLogRecorder(path, interval, options);
    }

    /// <summary>Adds a histogram to the recording. The log does not contain values recorded before this call.</summary>
    /// <param name="histogram">The histogram. The recorder keeps a reference and does not dispose it.</param>
    /// <param name="tag">The tag that identifies the histogram, without commas, spaces or line breaks; <see langword="null"/> for no tag,
    /// which only one histogram may have. The tag of a disposed histogram can be used again.</param>
    /// <exception cref="ArgumentNullException"><paramref name="histogram"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The tag is empty, contains a comma, space or line break, has more than 1,048,576 characters, or
    /// belongs to another histogram.</exception>
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
                    tag is null
                        ? "A histogram without a tag is already recorded. Specify a tag."
                        : $"A histogram with the tag {tag} is already recorded.",
                    nameof(tag));
            }

            _histograms.Add(new RecordedHistogram(histogram, tag, _time.GetTimestamp()));
        }
    }

    /// <summary>Stops the timer, writes the last intervals and closes the log. Intervals that cannot be written now are reported and
    /// lost.</summary>
    /// <returns>A task that completes when the log is closed. If an unexpected exception ended the recording (a bug in the recorder, or an
    /// exception of the time provider), the task throws it.</returns>
    public async ValueTask DisposeAsync()
    {
        await _timer.DisposeAsync().ConfigureAwait(false);
        Close();
    }

    /// <summary>Closes the log like <see cref="DisposeAsync"/>, and blocks until the log is closed. In
    /// <see cref="HdrHistogramLogRecorderOptions.OnError"/>, it does not block, and the log is closed after the callback returns.</summary>
    /// <exception cref="Exception">The unexpected exception that ended the recording, as for <see cref="DisposeAsync"/>.</exception>
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
        // If the disk is slower than the timer, writes must not overlap. The next call covers this interval, too.
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
                // The recorder or the time provider has a defect. An exception on the timer's thread would end the process.
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
            // No caller remains that could catch it. The exception that ended the recording has already been reported.
            if (e != _fault?.SourceException)
            {
                Report(e);
            }
        }
    }

    private void WriteIntervals()
    {
        (long now, DateTimeOffset utcNow) = ReadClocks();
        foreach (RecordedHistogram recorded in _histograms.ToArray()) // OnError may add a histogram
        {
            Read(recorded, now);
            if (recorded.Unwritten is { } unwritten)
            {
                // The length is measured with the monotonic clock.
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
            recorded.Forget(now); // the format cannot hold it, so a retry would fail
            Report(e);
        }
    }

    /// <summary>Reads both clocks at the same time. A thread that is preempted between the two reads would shift the interval.</summary>
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
            recorded.Forget(now); // the format cannot hold it, so a retry would fail
            Report(e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            recorded.Keep(); // the next interval retries
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

/// <summary>A histogram of a recorder, with the counts that are not yet in the log.</summary>
internal sealed class RecordedHistogram(HdrHistogram histogram, string? tag, long since)
{
    private readonly HdrHistogramSnapshot _snapshot = histogram.GetSnapshot();
    private HdrHistogramMerger? _kept; // the deltas since the last line, if there are several

    public string? Tag => tag;

    /// <summary>The start of the unwritten interval, as a timestamp.</summary>
    public long Since { get; private set; } = since;

    /// <summary>The counts to write; null if there are none.</summary>
    public ReadOnlyHdrHistogram? Unwritten { get; private set; }

    /// <summary>Whether a read found that the histogram is disposed.</summary>
    public bool IsDisposed { get; private set; }

    /// <summary>Whether the histogram is disposed, even if no read has found it yet.</summary>
    public bool IsEnded
    {
        get
        {
            try
            {
                _ = histogram.OverflowCount;
                return false;
            }
            catch (ObjectDisposedException)
            {
                return true;
            }
        }
    }

    /// <summary>Reads the values that were recorded since the last call.</summary>
    /// <exception cref="ObjectDisposedException">The histogram is disposed; later calls do nothing.</exception>
    /// <exception cref="OverflowException">The kept counts and the new ones add up to 2^64 or more.</exception>
    public void Read()
    {
        if (IsDisposed)
        {
            return;
        }

        try
        {
            _snapshot.Update(deltas: true);
        }
        catch (ObjectDisposedException)
        {
            IsDisposed = true;
            throw;
        }

        _kept?.Add(_snapshot);
        Unwritten = _kept?.Merged ?? (ReadOnlyHdrHistogram)_snapshot;
    }

    /// <summary>Discards the counts, because their line was written or can never be written.</summary>
    public void Forget(long now)
    {
        Unwritten = null;
        _kept = null;
        Since = now;
    }

    /// <summary>Keeps the counts, because their line could not be written. The next read adds to them.</summary>
    public void Keep()
    {
        if (_kept is null)
        {
            _kept = new HdrHistogramMerger();
            _kept.Add(_snapshot);
            Unwritten = _kept.Merged;
        }
    }
}
