namespace Picollo.Metrics;

/// <summary>A histogram for any number of concurrent writers, which use interlocked increments of shared counters.</summary>
/// <typeparam name="TCounter">The storage type of a counter, <see cref="uint"/> or <see cref="ulong"/>. Both count exactly up to
/// 2⁶⁴.</typeparam>
/// <remarks>
/// <para>A record costs as much as an interlocked increment: several times a plain record, and much more if writers on several processors
/// increment the same buckets. A <see cref="ThreadLocalHdrHistogram{TCounter}"/> has no such contention. The advantage of this variant is
/// memory: it takes as much as one plain histogram, for any number of threads.</para>
/// <para>Thread-safe. Created by <see cref="HdrHistogram.Factory"/> with <c>WithInterlocked()</c>.</para>
/// </remarks>
public sealed class InterlockedHdrHistogram<TCounter> : HdrHistogram
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private readonly CounterBlock<TCounter> _block;
    private OctaveTable _octaves;

    internal InterlockedHdrHistogram(HdrHistogramSettings settings)
        : base(settings)
    {
        _block = new CounterBlock<TCounter>(Range);
        Blocks = [_block];
    }

    private protected override CounterBlock WritersBlock => _block;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Record(ulong value) => RecordOne(value, dropIfDisposed: false);

    /// <inheritdoc/>
    public override InterlockedHdrHistogram<TCounter> Clone() =>
        FillClone(static settings => new InterlockedHdrHistogram<TCounter>(settings));

    /// <inheritdoc/>
    public override void Record(ulong value, ulong count) => RecordSlow(value, count, dropIfDisposed: false);

    /// <inheritdoc/>
    public override void Record(ReadOnlySpan<ulong> values)
    {
        ObjectDisposedException.ThrowIf(_block.IsClosed, this); // also for an empty span
        foreach (ulong value in values)
        {
            Record(value);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal override void RecordUnlessDisposed(ulong value) => RecordOne(value, dropIfDisposed: true);

    private protected override void CloseToWriters() => _block.Close(ref _octaves);

    /// <summary>Records a value. After inlining, the flag is a constant and costs nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe void RecordOne(ulong value, bool dropIfDisposed)
    {
        ulong entry = OctaveTable.EntryOf(ref _octaves, value);
        if (entry == 0)
        {
            RecordSlow(value, 1, dropIfDisposed);
            return;
        }

        TCounter* counter = OctaveTable.CounterOf<TCounter>(entry, value);
        if (typeof(TCounter) == typeof(ulong))
        {
            Interlocked.Increment(ref *(ulong*)counter);
        }
        else if ((int)Interlocked.Increment(ref *(uint*)counter) < 0)
        {
            _block.MoveToCarries(value);
        }

        GC.KeepAlive(this);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RecordSlow(ulong value, ulong count, bool dropIfDisposed)
    {
        if (!_block.IsClosed)
        {
            _block.RecordInterlocked(ref _octaves, value, count);
        }
        else
        {
            ObjectDisposedException.ThrowIf(!dropIfDisposed, this);
        }
    }
}
