namespace Picollo.Timing;

/// <summary>The numbers that calibration goes by, and why they are what they are.</summary>
internal static class CycleClockPolicy
{
    /// <summary>The first calibration's baseline. Samples are good to some 25 ns at either end, so 2 ms give about 25 ppm: enough for a
    /// start, and nobody notices 2 ms once a process.</summary>
    public const int StartBaselineMicroseconds = 2_000;

    /// <summary>Where reading the clock is slow (emulators, clocks behind a system call of microseconds) the baseline doubles up to this; a
    /// process should not stand still for longer.</summary>
    public const int StartBaselineLimitMicroseconds = 32_000;

    /// <summary>The error that the first calibration may leave: 1 ns in 10 µs, a tenth of the histogram's finest default.</summary>
    public const int StartErrorBoundPpm = 100;

    /// <summary>A refined ratio that may be off by more is taken only if the one before was worse. 1 ppm is the order at which the
    /// monotonic clock's own rate wanders with temperature and network time.</summary>
    public const int SteadyErrorBoundPpb = 1_000;

    /// <summary>After a check the next one is due when the baseline is four times as long: the error falls to a quarter.</summary>
    public const int RecheckGrowth = 4;

    /// <summary>The longest time between checks. What a jump must exceed to be seen grows with it (see <see cref="DisagreementBoundPpm"/>:
    /// 1 ms here), and a check, about a microsecond, is a millionth of it.</summary>
    public const int RecheckIntervalLimitMicroseconds = 1_000_000;

    /// <summary>A check that a negative interval asks for is made only this long after the last one, so that a counter whose readings often
    /// step back by nanoseconds does not cost a check each time.</summary>
    public const int ForcedCheckSpacingMicroseconds = 1_000;

    /// <summary>The baseline slides: it is kept between half of this and the whole. Longer gains nothing over
    /// <see cref="SteadyErrorBoundPpb"/>, and would take longer to follow a clock whose rate is being adjusted.</summary>
    public const int BaselineLimitMicroseconds = 64_000_000;

    /// <summary>Counter and clock disagree when they differ by more than this share of the time between two samples (and the samples' own
    /// uncertainty). Network time may change the monotonic clock's rate by 500 ppm either way (adjtimex(2)), so up to twice that is no
    /// fault of the counter.</summary>
    public const int DisagreementBoundPpm = 1_000;

    /// <summary>So many disagreements in a row, none more than <see cref="TrustedAfterMicroseconds"/> after the one before, and the counter
    /// is given up. One or two are a suspend or a migration, which a new calibration puts right.</summary>
    public const int DisagreementLimit = 3;

    /// <summary>A counter that has agreed for this long starts with a clean slate.</summary>
    public const int TrustedAfterMicroseconds = 60_000_000;

    /// <summary>A sample is the best of so many tries: one try in some hundreds is hit by an interrupt, eight in a row are not.</summary>
    public const int SampleTries = 8;

    /// <summary>A clock that has not moved for so many readings (milliseconds) stands still; no clock that .NET runs on is
    /// coarser.</summary>
    public const int StuckClockReads = 1_000_000;

    /// <summary>Below 1 MHz a counter is no better than the clock. Known ones run at 19.2 MHz (arm64) to 5 GHz (x64).</summary>
    public const double MinFrequency = 1e6;

    /// <summary>No counter runs faster; such a ratio comes from a counter that jumped while it was calibrated.</summary>
    public const double MaxFrequency = 1e11;
}
