namespace Picollo.Timing;

/// <summary>The constants of the calibration and their reasons.</summary>
internal static class CycleClockPolicy
{
    /// <summary>The baseline of the first calibration. Each sample has an error of about 25 ns, so 2 ms give about 25 ppm, which is enough
    /// at first. A delay of 2 ms once per process is not noticeable.</summary>
    public const int StartBaselineMicroseconds = 2_000;

    /// <summary>The limit up to which the baseline is doubled if reading the clock is slow (emulators, or clocks that take a system call of
    /// microseconds). A process should not be blocked for longer.</summary>
    public const int StartBaselineLimitMicroseconds = 32_000;

    /// <summary>The largest error after the first calibration: 1 ns in 10 µs, a tenth of the default error of a histogram.</summary>
    public const int StartErrorBoundPpm = 100;

    /// <summary>A refined ratio with a larger error replaces the previous ratio only if that one was worse. The rate of the monotonic clock
    /// itself varies by about 1 ppm with temperature and network time.</summary>
    public const int SteadyErrorBoundPpb = 1_000;

    /// <summary>The growth of the baseline between two checks: the error falls to a quarter.</summary>
    public const int RecheckGrowth = 4;

    /// <summary>The longest time between checks. The smallest detectable jump grows with it (<see cref="DisagreementBoundPpm"/>: 1 ms
    /// here). A check takes about a microsecond, a millionth of it.</summary>
    public const int RecheckIntervalLimitMicroseconds = 1_000_000;

    /// <summary>The shortest time between a check and a check that a negative interval forces, so that a counter whose readings often step
    /// back by nanoseconds does not force a check each time.</summary>
    public const int ForcedCheckSpacingMicroseconds = 1_000;

    /// <summary>The longest baseline. The baseline slides: it is between half of this value and the whole. A longer one would not improve
    /// on <see cref="SteadyErrorBoundPpb"/>, and would respond more slowly when the rate of the clock is being adjusted.</summary>
    public const int BaselineLimitMicroseconds = 64_000_000;

    /// <summary>The counter and the clock disagree if they differ by more than this share of the time between two samples, plus the
    /// samples' own uncertainty. Network time can change the rate of the monotonic clock by 500 ppm in either direction (adjtimex(2)), so a
    /// difference of up to twice that is not a fault of the counter.</summary>
    public const int DisagreementBoundPpm = 1_000;

    /// <summary>The number of consecutive disagreements, each within <see cref="TrustedAfterMicroseconds"/> of the previous one, after
    /// which the clock replaces the counter. One or two are caused by a suspend or a migration, which a new calibration corrects.</summary>
    public const int DisagreementLimit = 3;

    /// <summary>The time of agreement after which the count of disagreements starts from 0 again.</summary>
    public const int TrustedAfterMicroseconds = 60_000_000;

    /// <summary>The number of attempts, the best of which is the sample: an interrupt affects one attempt in a few hundred, but not eight
    /// in a row.</summary>
    public const int SampleAttempts = 8;

    /// <summary>The number of readings (milliseconds) after which an unchanged clock is considered stuck. No clock of a system that .NET
    /// supports is coarser.</summary>
    public const int StuckClockReads = 1_000_000;

    /// <summary>The lowest accepted frequency, in Hz. Below 1 MHz, a counter is not better than the clock. Known counters run at 19.2 MHz
    /// (arm64) to 5 GHz (x64).</summary>
    public const double MinFrequency = 1e6;

    /// <summary>The highest accepted frequency, in Hz. No counter runs faster; a higher result means that the counter jumped during
    /// calibration.</summary>
    public const double MaxFrequency = 1e11;
}
