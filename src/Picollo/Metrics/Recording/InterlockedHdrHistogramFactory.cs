using System.Numerics;

namespace Picollo.Metrics;

/// <summary>Makes interlocked histograms: <see cref="InterlockedHdrHistogram{TCounter}"/>.</summary>
/// <typeparam name="TCounter">The storage of a counter, <see cref="uint"/> or <see cref="ulong"/>.</typeparam>
/// <remarks>Immutable and thread-safe: each method returns a new factory that can be stored and shared.</remarks>
public sealed class InterlockedHdrHistogramFactory<TCounter> : HdrHistogramFactory
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    internal InterlockedHdrHistogramFactory(HdrHistogramSettings settings)
        : base(settings)
    {
    }

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithRelativeError(double relativeError) =>
        new(Settings.WithRelativeError(relativeError));

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithSignificantDigits(int significantDigits) =>
        WithRelativeError(HdrHistogramSettings.RelativeErrorOf(significantDigits));

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithMinTrackableValue(ulong minTrackableValue) =>
        new(Settings with { MinTrackableValue = minTrackableValue });

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithMaxTrackableValue(ulong maxTrackableValue) =>
        new(Settings with { MaxTrackableValue = maxTrackableValue });

    /// <inheritdoc/>
    public override InterlockedHdrHistogramFactory<TCounter> WithLayoutOf(ReadOnlyHdrHistogram histogram) =>
        new(HdrHistogramSettings.Of(histogram));

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
}
