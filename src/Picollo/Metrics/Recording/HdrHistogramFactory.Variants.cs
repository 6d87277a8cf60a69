using System.Numerics;

namespace Picollo.Metrics;

/// <summary>Makes plain histograms: <see cref="PlainHdrHistogram{TCounter}"/>.</summary>
/// <typeparam name="TCounter">The storage of a counter, <see cref="uint"/> or <see cref="ulong"/>.</typeparam>
/// <remarks>Immutable and thread-safe: each method returns a new factory that can be stored and shared.</remarks>
public sealed class PlainHdrHistogramFactory<TCounter> : HdrHistogramFactory<PlainHdrHistogramFactory<TCounter>>
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    internal PlainHdrHistogramFactory(HdrHistogramSettings settings)
        : base(settings)
    {
    }

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

    private protected override PlainHdrHistogramFactory<TCounter> With(HdrHistogramSettings settings) => new(settings);
}

/// <summary>Makes interlocked histograms: <see cref="InterlockedHdrHistogram{TCounter}"/>.</summary>
/// <inheritdoc cref="PlainHdrHistogramFactory{TCounter}" path="/typeparam|/remarks"/>
public sealed class InterlockedHdrHistogramFactory<TCounter> : HdrHistogramFactory<InterlockedHdrHistogramFactory<TCounter>>
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    internal InterlockedHdrHistogramFactory(HdrHistogramSettings settings)
        : base(settings)
    {
    }

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

    private protected override InterlockedHdrHistogramFactory<TCounter> With(HdrHistogramSettings settings) => new(settings);
}

/// <summary>Makes thread-local histograms: <see cref="ThreadLocalHdrHistogram{TCounter}"/>.</summary>
/// <inheritdoc cref="PlainHdrHistogramFactory{TCounter}" path="/typeparam|/remarks"/>
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
