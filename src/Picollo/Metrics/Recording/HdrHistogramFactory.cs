namespace Picollo.Metrics;

/// <summary>Creates histograms. Its methods can be called in any order; each returns a new factory, which can be stored and
/// shared.</summary>
/// <remarks>
/// <para>A chain of calls starts with <see cref="HdrHistogram.Factory"/>. The factories of the three variants override every method to
/// return their own type, so that <see cref="Create"/> at the end of a chain returns the most derived type of the histogram. Use this base
/// class in code that accepts any variant.</para>
/// <para>Immutable and thread-safe.</para>
/// </remarks>
[DebuggerDisplay("RelativeError = {Settings.RelativeError}, Range = {Settings.MinTrackableValue} to {Settings.MaxTrackableValue}")]
public abstract partial class HdrHistogramFactory
{
    private protected HdrHistogramFactory(HdrHistogramSettings settings) => Settings = settings;

    private protected HdrHistogramSettings Settings { get; }

    /// <summary>Sets the precision: the largest relative distance of a value from the midpoint of its bucket. Memory is inversely
    /// proportional to it.</summary>
    /// <param name="value">The relative error, from 0.000001 to 0.1. The default is 0.001. It is rounded down to 0.5 divided by a power of
    /// two: 0.01 gives 0.0078125.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="value"/> is outside its range or NaN.</exception>
    public abstract HdrHistogramFactory WithRelativeError(double value);

    /// <summary>Sets the precision in significant decimal digits, as in other HdrHistogram libraries: n digits correspond to a relative
    /// error of 0.5·10⁻ⁿ.</summary>
    /// <param name="significantDigits">The number of significant digits, from 1 to 5.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="significantDigits"/> is outside its range.</exception>
    public abstract HdrHistogramFactory WithSignificantDigits(int significantDigits);

    /// <summary>Sets the lowest discernible value: values that differ by less may share a bucket. Each doubling saves one block of
    /// counters. The time of a record does not change.</summary>
    /// <param name="value">The lowest discernible value (the unit), 1 or more, rounded down to a power of two. The default is 1. When
    /// <see cref="Create"/> is called, its product with <see cref="ReadOnlyHdrHistogram.BlockSize"/> must be at most 2⁶¹. The relative
    /// error holds for values of at least <see cref="ReadOnlyHdrHistogram.BlockSize"/> units; the error of smaller values is half a
    /// unit.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="value"/> is 0.</exception>
    public abstract HdrHistogramFactory WithLowestDiscernibleValue(ulong value);

    /// <summary>Sets the smallest value to track. Values below its bucket are only counted as out of range.</summary>
    /// <param name="value">The smallest value. The default is 0. It must be less than the maximum when <see cref="Create"/> is
    /// called.</param>
    /// <returns>A new factory.</returns>
    public abstract HdrHistogramFactory WithMinTrackableValue(ulong value);

    /// <summary>Sets the largest value to track. Values above its bucket are only counted as out of range.</summary>
    /// <param name="value">The largest value. The default is 2⁶⁴−1. It must be greater than the minimum when <see cref="Create"/> is
    /// called.</param>
    /// <returns>A new factory.</returns>
    public abstract HdrHistogramFactory WithMaxTrackableValue(ulong value);

    /// <summary>Sets the precision, the lowest discernible value and the range to those of another histogram, so that both have the same
    /// buckets.</summary>
    /// <param name="histogram">The other histogram, of any variant and storage.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="histogram"/> is <see langword="null"/>.</exception>
    public abstract HdrHistogramFactory WithLayoutOf(ReadOnlyHdrHistogram histogram);

    /// <summary>Sets the clock for the times of summaries and snapshots, for example a manual clock in tests. Scopes do not use it: they
    /// measure with <see cref="System.Diagnostics.Stopwatch"/> or the CPU's counter.</summary>
    /// <param name="timeProvider">The clock. The default is <see cref="TimeProvider.System"/>. Readers call it on their own threads, so it
    /// must be thread-safe.</param>
    /// <returns>A new factory.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="timeProvider"/> is <see langword="null"/>.</exception>
    public abstract HdrHistogramFactory WithTimeProvider(TimeProvider timeProvider);

    /// <summary>Stores counters in 32 bits (the default). Larger counts are kept exactly in a side table.</summary>
    /// <returns>A new factory.</returns>
    public abstract HdrHistogramFactory WithUInt32Storage();

    /// <summary>Stores counters in 64 bits. This takes twice the memory, but needs no check for a carry.</summary>
    /// <returns>A new factory.</returns>
    public abstract HdrHistogramFactory WithUInt64Storage();

    /// <summary>Selects the interlocked variant: any number of threads can record, with interlocked increments of shared
    /// counters.</summary>
    /// <returns>A new factory, which replaces the thread-local variant if it was selected.</returns>
    public abstract HdrHistogramFactory WithInterlocked();

    /// <summary>Selects the thread-local variant: any number of threads can record, each into its own counters.</summary>
    /// <returns>A new factory, which replaces the interlocked variant if it was selected.</returns>
    public abstract HdrHistogramFactory WithThreadLocal();

    /// <summary>Creates an empty histogram.</summary>
    /// <returns>A new histogram of the factory's variant.</returns>
    /// <exception cref="ArgumentException">The minimum is not less than the maximum, or the lowest discernible value is too large for the
    /// precision.</exception>
    public abstract HdrHistogram Create();

    private protected virtual HdrHistogramFactory WithoutInterlocked() => this;

    private protected virtual HdrHistogramFactory WithoutThreadLocal() => this;
}

/// <summary>Creates plain histograms (<see cref="PlainHdrHistogram{TCounter}"/>).</summary>
/// <typeparam name="TCounter">The storage type of a counter, <see cref="uint"/> or <see cref="ulong"/>.</typeparam>
/// <remarks>Immutable and thread-safe. Each method returns a new factory, which can be stored and shared.</remarks>
public sealed class PlainHdrHistogramFactory<TCounter> : HdrHistogramFactory
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    internal PlainHdrHistogramFactory(HdrHistogramSettings settings)
        : base(settings)
    {
    }

    /// <inheritdoc/>
    public override PlainHdrHistogramFactory<TCounter> WithRelativeError(double value) =>
        new(Settings.WithRelativeError(value));

    /// <inheritdoc/>
    public override PlainHdrHistogramFactory<TCounter> WithSignificantDigits(int significantDigits) =>
        WithRelativeError(HdrHistogramSettings.RelativeErrorOf(significantDigits));

    /// <inheritdoc/>
    public override PlainHdrHistogramFactory<TCounter> WithLowestDiscernibleValue(ulong value) =>
        new(Settings.WithLowestDiscernibleValue(value));

    /// <inheritdoc/>
    public override PlainHdrHistogramFactory<TCounter> WithMinTrackableValue(ulong value) =>
        new(Settings with { MinTrackableValue = value });

    /// <inheritdoc/>
    public override PlainHdrHistogramFactory<TCounter> WithMaxTrackableValue(ulong value) =>
        new(Settings with { MaxTrackableValue = value });

    /// <inheritdoc/>
    public override PlainHdrHistogramFactory<TCounter> WithLayoutOf(ReadOnlyHdrHistogram histogram) =>
        new(Settings.WithLayoutOf(histogram));

    /// <inheritdoc/>
    public override PlainHdrHistogramFactory<TCounter> WithTimeProvider(TimeProvider timeProvider) =>
        new(Settings.WithTimeProvider(timeProvider));

    /// <inheritdoc/>
    public override PlainHdrHistogramFactory<uint> WithUInt32Storage() => new(Settings);

    /// <inheritdoc/>
    public override PlainHdrHistogramFactory<ulong> WithUInt64Storage() => new(Settings);

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithInterlocked() => new(Settings);

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithThreadLocal() => new(Settings);

    /// <inheritdoc/>
    public override PlainHdrHistogram<TCounter> Create() => new(Settings.Validated());
}

/// <summary>Creates interlocked histograms (<see cref="InterlockedHdrHistogram{TCounter}"/>).</summary>
/// <inheritdoc cref="PlainHdrHistogramFactory{TCounter}" path="/typeparam|/remarks"/>
public sealed class InterlockedHdrHistogramFactory<TCounter> : HdrHistogramFactory
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    internal InterlockedHdrHistogramFactory(HdrHistogramSettings settings)
        : base(settings)
    {
    }

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithRelativeError(double value) =>
        new(Settings.WithRelativeError(value));

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithSignificantDigits(int significantDigits) =>
        WithRelativeError(HdrHistogramSettings.RelativeErrorOf(significantDigits));

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithLowestDiscernibleValue(ulong value) =>
        new(Settings.WithLowestDiscernibleValue(value));

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithMinTrackableValue(ulong value) =>
        new(Settings with { MinTrackableValue = value });

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithMaxTrackableValue(ulong value) =>
        new(Settings with { MaxTrackableValue = value });

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithLayoutOf(ReadOnlyHdrHistogram histogram) =>
        new(Settings.WithLayoutOf(histogram));

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithTimeProvider(TimeProvider timeProvider) =>
        new(Settings.WithTimeProvider(timeProvider));

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<uint> WithUInt32Storage() => new(Settings);

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<ulong> WithUInt64Storage() => new(Settings);

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithInterlocked() => new(Settings);

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithThreadLocal() => new(Settings);

    /// <inheritdoc/>
    public override InterlockedHdrHistogram<TCounter> Create() => new(Settings.Validated());

    private protected override HdrHistogramFactory WithoutInterlocked() => new PlainHdrHistogramFactory<TCounter>(Settings);
}

/// <summary>Creates thread-local histograms (<see cref="ThreadLocalHdrHistogram{TCounter}"/>).</summary>
/// <inheritdoc cref="PlainHdrHistogramFactory{TCounter}" path="/typeparam|/remarks"/>
public sealed class ThreadLocalHdrHistogramFactory<TCounter> : HdrHistogramFactory
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    internal ThreadLocalHdrHistogramFactory(HdrHistogramSettings settings)
        : base(settings)
    {
    }

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithRelativeError(double value) =>
        new(Settings.WithRelativeError(value));

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithSignificantDigits(int significantDigits) =>
        WithRelativeError(HdrHistogramSettings.RelativeErrorOf(significantDigits));

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithLowestDiscernibleValue(ulong value) =>
        new(Settings.WithLowestDiscernibleValue(value));

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithMinTrackableValue(ulong value) =>
        new(Settings with { MinTrackableValue = value });

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithMaxTrackableValue(ulong value) =>
        new(Settings with { MaxTrackableValue = value });

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithLayoutOf(ReadOnlyHdrHistogram histogram) =>
        new(Settings.WithLayoutOf(histogram));

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithTimeProvider(TimeProvider timeProvider) =>
        new(Settings.WithTimeProvider(timeProvider));

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<uint> WithUInt32Storage() => new(Settings);

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<ulong> WithUInt64Storage() => new(Settings);

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithInterlocked() => new(Settings);

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithThreadLocal() => new(Settings);

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogram<TCounter> Create() => new(Settings.Validated());

    private protected override HdrHistogramFactory WithoutThreadLocal() => new PlainHdrHistogramFactory<TCounter>(Settings);
}
