using System.Numerics;

namespace Picollo.Metrics;

/// <summary>Makes thread-local histograms: <see cref="ThreadLocalHdrHistogram{TCounter}"/>.</summary>
/// <typeparam name="TCounter">The storage of a counter, <see cref="uint"/> or <see cref="ulong"/>.</typeparam>
/// <remarks>Immutable and thread-safe: each method returns a new factory that can be stored and shared.</remarks>
public sealed class ThreadLocalHdrHistogramFactory<TCounter> : HdrHistogramFactory
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    internal ThreadLocalHdrHistogramFactory(HdrHistogramSettings settings)
        : base(settings)
    {
    }

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithRelativeError(double relativeError) =>
        new(Settings.WithRelativeError(relativeError));

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithSignificantDigits(int significantDigits) =>
        WithRelativeError(HdrHistogramSettings.RelativeErrorOf(significantDigits));

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithMinTrackableValue(ulong minTrackableValue) =>
        new(Settings with { MinTrackableValue = minTrackableValue });

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithMaxTrackableValue(ulong maxTrackableValue) =>
        new(Settings with { MaxTrackableValue = maxTrackableValue });

    /// <inheritdoc/>
    public override ThreadLocalHdrHistogramFactory<TCounter> WithLayoutOf(ReadOnlyHdrHistogram histogram) =>
        new(HdrHistogramSettings.Of(histogram));

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
}
