using System.Diagnostics;

namespace Picollo.Metrics;

/// <summary>Makes histograms. Its methods may be called in any order; each returns a new factory that can be stored and shared.</summary>
/// <remarks>
/// <para><see cref="HdrHistogram.Factory"/> is where a chain starts. The factories of the three variants override every method with their
/// own type, so that the histogram at the end of a chain has its most derived type; this base is for code that takes any of them.</para>
/// <para>Immutable and thread-safe.</para>
/// </remarks>
[DebuggerDisplay("RelativeError = {Settings.RelativeError}, Range = {Settings.MinTrackableValue} to {Settings.MaxTrackableValue}")]
public abstract class HdrHistogramFactory
{
    private protected HdrHistogramFactory(HdrHistogramSettings settings) => Settings = settings;

    private protected HdrHistogramSettings Settings { get; }

    /// <summary>Sets the precision: how far a value may be from the midpoint of its bucket. Memory grows in inverse
    /// proportion to it.</summary>
    /// <param name="value">The share of the value, 0.000001 to 0.1; 0.001 unless set. Rounded down to 0.5 over a
    /// power of two: 0.01 gives 0.0078125.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="value"/> is outside its range or NaN.</exception>
    public abstract HdrHistogramFactory WithRelativeError(double value);

    /// <summary>Sets the precision as the HdrHistogram family does: n decimal digits are a relative error of 0.5·10⁻ⁿ.</summary>
    /// <param name="significantDigits">1 to 5.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="significantDigits"/> is outside its range.</exception>
    public abstract HdrHistogramFactory WithSignificantDigits(int significantDigits);

    /// <summary>Sets the unit of the values: those that differ by less may share a bucket. Each doubling of it saves a
    /// block of counters; a record takes as long.</summary>
    /// <param name="value">1 or more, rounded down to a power of two; 1 unless set. Times
    /// <see cref="ReadOnlyHdrHistogram.BlockSize"/> at most 2⁶¹ when <see cref="Create"/> is called. The relative error holds for values
    /// from <see cref="ReadOnlyHdrHistogram.BlockSize"/> units; below, the error is half a unit.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="value"/> is 0.</exception>
    public abstract HdrHistogramFactory WithLowestDiscernibleValue(ulong value);

    /// <summary>Sets the smallest value to track. Smaller values, below its bucket, are only counted.</summary>
    /// <param name="value">Below the maximum when <see cref="Create"/> is called; 0 unless set.</param>
    /// <returns>A new factory.</returns>
    public abstract HdrHistogramFactory WithMinTrackableValue(ulong value);

    /// <summary>Sets the largest value to track. Larger values, above its bucket, are only counted.</summary>
    /// <param name="value">Above the minimum when <see cref="Create"/> is called; 2⁶⁴−1 unless set.</param>
    /// <returns>A new factory.</returns>
    public abstract HdrHistogramFactory WithMaxTrackableValue(ulong value);

    /// <summary>Sets precision, unit and range to those of another histogram: both have the same buckets then.</summary>
    /// <param name="histogram">The other, of any variant and storage.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="histogram"/> is null.</exception>
    public abstract HdrHistogramFactory WithLayoutOf(ReadOnlyHdrHistogram histogram);

    /// <summary>Sets the clock that summaries and snapshots take their times from, for example a manual one in tests. It does not matter
    /// to scopes, which measure with <see cref="System.Diagnostics.Stopwatch"/> or the CPU's counter.</summary>
    /// <param name="timeProvider">The clock; <see cref="TimeProvider.System"/> unless set. Readers call it from their threads, so it has
    /// to be thread-safe.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="timeProvider"/> is <see langword="null"/>.</exception>
    public abstract HdrHistogramFactory WithTimeProvider(TimeProvider timeProvider);

    /// <summary>Stores counters in 32 bits, the default. Counts past that are kept exactly in a side table.</summary>
    /// <returns>A new factory.</returns>
    public abstract HdrHistogramFactory WithUInt32Storage();

    /// <summary>Stores counters in 64 bits: twice the memory, and no check for a carry.</summary>
    /// <returns>A new factory.</returns>
    public abstract HdrHistogramFactory WithUInt64Storage();

    /// <summary>Lets any number of threads record, by interlocked increments on shared counters.</summary>
    /// <returns>A new factory, no longer thread-local if it was.</returns>
    public abstract HdrHistogramFactory WithInterlocked();

    /// <summary>Lets any number of threads record, each into counters of its own.</summary>
    /// <returns>A new factory, no longer interlocked if it was.</returns>
    public abstract HdrHistogramFactory WithThreadLocal();

    /// <summary>Turns 32-bit storage on or off, for code that decides at run time.</summary>
    /// <param name="enabled"><see langword="true"/> for 32-bit storage, <see langword="false"/> for 64-bit storage.</param>
    /// <returns>A new factory.</returns>
    public HdrHistogramFactory WithUInt32Storage(bool enabled) => enabled ? WithUInt32Storage() : WithUInt64Storage();

    /// <summary>Turns interlocked recording on or off, for code that decides at run time.</summary>
    /// <param name="enabled"><see langword="true"/> for interlocked recording; <see langword="false"/> makes an interlocked factory
    /// plain.</param>
    /// <returns>A factory of the variant.</returns>
    public HdrHistogramFactory WithInterlocked(bool enabled) => enabled ? WithInterlocked() : WithoutInterlocked();

    /// <summary>Turns thread-local recording on or off, for code that decides at run time.</summary>
    /// <param name="enabled"><see langword="true"/> for thread-local recording; <see langword="false"/> makes a thread-local factory
    /// plain.</param>
    /// <param name="accumulateInterval">Ignored: readers see every record at once, so there is nothing to accumulate. For programs of
    /// Picollo v0.1.</param>
    /// <returns>A factory of the variant.</returns>
    public HdrHistogramFactory WithThreadLocal(bool enabled, TimeSpan? accumulateInterval = null) =>
        enabled ? WithThreadLocal() : WithoutThreadLocal();

    /// <summary>Creates an empty histogram.</summary>
    /// <returns>A new histogram of the factory's variant.</returns>
    /// <exception cref="ArgumentException">The range is empty or reversed: the minimum is not below the maximum. Or the
    /// unit is too large for the precision.</exception>
    public abstract HdrHistogram Create();

    private protected virtual HdrHistogramFactory WithoutInterlocked() => this;

    private protected virtual HdrHistogramFactory WithoutThreadLocal() => this;
}
