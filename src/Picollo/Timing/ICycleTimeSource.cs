namespace Picollo.Timing;

/// <summary>The two time sources that calibration compares, or a test's stand-ins for them.</summary>
internal interface ICycleTimeSource
{
    /// <summary>What <see cref="ReadClock"/> counts in a second.</summary>
    long ClockFrequency { get; }

    /// <summary>The CPU's counter.</summary>
    long ReadCounter();

    /// <summary>The monotonic clock: <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/>.</summary>
    long ReadClock();
}
