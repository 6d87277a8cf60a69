namespace Picollo.Export;

/// <summary>The options of a <see cref="HdrHistogramLogRecorder"/>.</summary>
/// <remarks>Copied when a recorder is created; later changes do not affect it. Not thread-safe while it is changed.</remarks>
public sealed class HdrHistogramLogRecorderOptions
{
    /// <summary>The size in bytes at which a new file is started, above 0; null, the default, for none. A file can be longer by one
    /// line.</summary>
    public long? MaxFileBytes { get; set; }

    /// <summary>Whether each UTC day gets its own file, by the start of its intervals.</summary>
    public bool RollDaily { get; set; }

    /// <summary>Number of files that are kept, including the current one; 10 by default, at least 1.</summary>
    public int FilesKept { get; set; } = 10;

    /// <summary>Divisor of the maximum that each line has for human readers; above 0. Unless set, nanoseconds are printed as
    /// milliseconds, as the family does.</summary>
    public double MaxValueUnitRatio { get; set; } = UnitRatio.NanosecondsPerMillisecond;

    /// <summary>A comment at the head of each file, one line; null for none.</summary>
    public string? Comment { get; set; }

    /// <summary>Receives each error, at each interval while it lasts: <see cref="IOException"/> (full disk, missing folder),
    /// <see cref="UnauthorizedAccessException"/>, <see cref="ObjectDisposedException"/> for a disposed histogram, and an unexpected
    /// exception, which ends the recording. It is called on the timer's thread, and at the end by
    /// <see cref="HdrHistogramLogRecorder.DisposeAsync"/>. What it throws is ignored.</summary>
    public Action<Exception>? OnError { get; set; }

    /// <summary>The clock and timer; the system's unless set.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public TimeProvider TimeProvider
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = TimeProvider.System;

    internal HdrHistogramLogRecorderOptions Copy() => (HdrHistogramLogRecorderOptions)MemberwiseClone();
}
