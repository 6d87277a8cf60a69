namespace Picollo.Metrics;

/// <summary>A histogram for one writer at a time and any number of concurrent readers.</summary>
/// <typeparam name="TCounter">The storage type of a counter, <see cref="uint"/> or <see cref="ulong"/>. Both count exactly up to
/// 2⁶⁴.</typeparam>
/// <remarks>
/// <para>If several threads record at the same time, they overwrite some of each other's records, so that counts become approximate;
/// nothing else fails. Another thread may become the writer, with the usual synchronization.</para>
/// <para>Created by <see cref="HdrHistogram.Factory"/>.</para>
/// </remarks>
public sealed class PlainHdrHistogram<TCounter> : HdrHistogram
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private readonly CounterBlock<TCounter> _block;
    private OctaveTable _octaves; // in this object, not in the block: one load less per record

    internal PlainHdrHistogram(HdrHistogramSettings settings)
        : base(settings)
    {
        _block = new CounterBlock<TCounter>(Range);
        Blocks = [_block];
    }

    private protected override CounterBlock WritersBlock => _block;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Record(ulong value) => Record(value, 1, dropIfDisposed: false);

    /// <inheritdoc/>
    public override PlainHdrHistogram<TCounter> Clone() => FillClone(static settings => new PlainHdrHistogram<TCounter>(settings));

    /// <inheritdoc/>
    public override void Record(ulong value, ulong count) => Record(value, count, dropIfDisposed: false);

    /// <inheritdoc/>
    public override void Record(ReadOnlySpan<ulong> values)
    {
        ObjectDisposedException.ThrowIf(_block.IsClosed, this);
        _block.Record(ref _octaves, values);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal override void RecordUnlessDisposed(ulong value) => Record(value, 1, dropIfDisposed: true);

    private protected override bool TryAdd<TCount>(CounterView<TCount> counters, ref List<(int Number, ulong Count)>? rest)
    {
        _block.Add(ref _octaves, counters, ref rest);
        return true;
    }

    private protected override void AddRun(int number, int scale, ReadOnlySpan<ulong> counts) =>
        _block.AddRun(ref _octaves, number, scale, counts);

    private protected override void CloseToWriters() => _block.Close(ref _octaves);

    /// <summary>Records a value. After inlining, the flag and a count of 1 are constants and cost nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private unsafe void Record(ulong value, ulong count, bool dropIfDisposed)
    {
        ulong entry = OctaveTable.EntryOf(ref _octaves, value);
        if (entry != 0 && count <= int.MaxValue)
        {
            TCounter* counter = OctaveTable.CounterOf<TCounter>(entry, value);
            if (typeof(TCounter) == typeof(ulong))
            {
                *(ulong*)counter += count;
                GC.KeepAlive(this);
                return;
            }

            // Test before the store: this uses the flags of the increment, and readers never see a wrapped counter.
            uint next = *(uint*)counter + (uint)count; // both are below 2³¹
            if ((int)next >= 0)
            {
                *(uint*)counter = next;
                GC.KeepAlive(this);
                return;
            }
        }

        RecordSlow(value, count, dropIfDisposed);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RecordSlow(ulong value, ulong count, bool dropIfDisposed)
    {
        if (!_block.IsClosed)
        {
            _block.Record(ref _octaves, value, count);
        }
        else
        {
            ObjectDisposedException.ThrowIf(!dropIfDisposed, this);
        }
    }
}
