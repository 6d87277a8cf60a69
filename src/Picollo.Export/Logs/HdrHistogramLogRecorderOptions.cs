using Picollo.Metrics;

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

    /// <summary>What the largest value, which stands beside each histogram for people, is divided by; above 0. Unless set, nanoseconds are
    /// printed as milliseconds, as the family does.</summary>
    public double MaxValueUnitRatio { get; set; } = UnitRatio.NanosecondsPerMillisecond;

    /// <summary>A comment at the head of each file, one line; null for none.</summary>
    public string? Comment { get; set; }

    /// <summary>Receives errors (<see cref="IOException"/> on a full disk) on the timer's thread. What it throws is ignored.</summary>
    public Action<Exception>? OnError { get; set; }

    /// <summary>The clock and timer; the system's unless set.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    internal HdrHistogramLogRecorderOptions Copy() => (HdrHistogramLogRecorderOptions)MemberwiseClone();
}
