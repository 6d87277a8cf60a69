using System.Numerics;

namespace Picollo.Metrics;

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
