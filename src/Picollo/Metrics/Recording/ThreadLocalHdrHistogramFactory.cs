using System.Numerics;

namespace Picollo.Metrics;

/// <summary>Makes thread-local histograms: <see cref="ThreadLocalHdrHistogram{TCounter}"/>.</summary>
/// <typeparam name="TCounter">The storage of a counter, <see cref="uint"/> or <see cref="ulong"/>.</typeparam>
/// <remarks>Immutable and thread-safe: each method returns a new factory that can be stored and shared.</remarks>
public sealed class ThreadLocalHdrHistogramFactory<TCounter> : HdrHistogramFactory<ThreadLocalHdrHistogramFactory<TCounter>>
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    internal ThreadLocalHdrHistogramFactory(HdrHistogramSettings settings)
        : base(settings)
    {
    }

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

    private protected override ThreadLocalHdrHistogramFactory<TCounter> With(HdrHistogramSettings settings) => new(settings);
}
