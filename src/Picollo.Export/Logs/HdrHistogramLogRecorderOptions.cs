using Picollo.Export.Text;

namespace Picollo.Export;

/// <summary>The options of a <see cref="HdrHistogramLogRecorder"/>.</summary>
/// <remarks>The options are copied when a recorder starts; later changes do not affect it. Not thread-safe while an option is being
/// changed.</remarks>
public sealed class HdrHistogramLogRecorderOptions
{
    /// <summary>The size in bytes at which a new file is started, above 0; <see langword="null"/>, the default, for no limit. A file can
    /// exceed the size by one line.</summary>
    public long? MaxFileBytes { get; set; }

    /// <summary>Whether each UTC day has its own file. The start of an interval determines its file.</summary>
    public bool RollDaily { get; set; }

    /// <summary>The number of files that are kept, including the current one; 10 by default, at least 1.</summary>
    public int FilesKept { get; set; } = 10;

    /// <summary>The divisor of the largest value, which each line contains for human readers; above 0. By default, nanoseconds are printed
    /// as milliseconds, as in the HdrHistogram libraries.</summary>
    public double MaxValueUnitRatio { get; set; } = UnitRatio.NanosecondsPerMillisecond;

    /// <summary>The comment at the start of each file, a single line; <see langword="null"/> for none.</summary>
    public string? Comment { get; set; }

    /// <summary>The callback for errors, called at each interval while an error persists. It receives an <see cref="IOException"/> (full
    /// disk, missing directory), an <see cref="UnauthorizedAccessException"/>, an <see cref="ObjectDisposedException"/> for a disposed
    /// histogram, or the unexpected exception that ended the recording. It is called on the timer's thread and by
    /// <see cref="HdrHistogramLogRecorder.DisposeAsync"/>. Exceptions that it throws are ignored.</summary>
    public Action<Exception>? OnError { get; set; }

    /// <summary>The time provider; <see cref="System.TimeProvider.System"/> by default.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public TimeProvider TimeProvider
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = TimeProvider.System;

    internal HdrHistogramLogRecorderOptions Copy() => (HdrHistogramLogRecorderOptions)MemberwiseClone();
}
