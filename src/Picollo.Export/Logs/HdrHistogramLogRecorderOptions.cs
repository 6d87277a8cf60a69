using Picollo.Metrics;

namespace Picollo.Export;

/// <summary>What a <see cref="HdrHistogramLogRecorder"/> need not be told.</summary>
public sealed class HdrHistogramLogRecorderOptions
{
    /// <summary>The size in bytes from which on a new file is begun; null, unless set, for none. A file can be longer by one line. Above
    /// 0.</summary>
    public long? MaxFileBytes { get; init; }

    /// <summary>Whether each day, in UTC, gets a file of its own, by the begin of its intervals.</summary>
    public bool RollDaily { get; init; }

    /// <summary>How many files are kept, that which is being written included; 10 unless set, at least 1.</summary>
    public int FilesKept { get; init; } = 10;

    /// <summary>What the largest value, which stands beside each histogram for people, is divided by; above 0. Unless set, nanoseconds are
    /// printed as milliseconds, as the family does.</summary>
    public double MaxValueUnitRatio { get; init; } = UnitRatio.NanosecondsPerMillisecond;

    /// <summary>A comment at the head of each file, one line; null for none.</summary>
    public string? Comment { get; init; }

    /// <summary>Is told what went wrong (<see cref="IOException"/> where a disk is full), on the timer's thread. What it throws is
    /// ignored.</summary>
    public Action<Exception>? OnError { get; init; }

    /// <summary>The clock and timer; the system's unless set.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}
