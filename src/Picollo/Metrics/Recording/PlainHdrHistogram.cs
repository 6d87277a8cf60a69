using System.Numerics;
using System.Runtime.CompilerServices;

namespace Picollo.Metrics;

/// <summary>A histogram for one writer at a time, and any number of readers beside it.</summary>
/// <typeparam name="TCounter"><see cref="uint"/> or <see cref="ulong"/>: the storage of a counter. Both count exactly to
/// 2⁶⁴.</typeparam>
/// <remarks>
/// <para>Writers that do record at the same time undo some of each other's records, so that counts become approximate; nothing
/// else goes wrong. A thread may take over from another with the usual synchronisation.</para>
/// <para>Made by <see cref="HdrHistogram.Factory"/>.</para>
/// </remarks>
public sealed class PlainHdrHistogram<TCounter> : HdrHistogram
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private readonly CounterBlock<TCounter> _block;
    private OctaveTable _octaves; // in this object, not the block: a load less for each record

    internal PlainHdrHistogram(HdrHistogramSettings settings)
        : base(settings)
    {
        _block = new CounterBlock<TCounter>(this);
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
        _block.Record(ref _octaves, this, values);
    }

    /// <summary>The counters from a number on that lie in its page, for the producer of a histogram that no other code has yet. 32-bit
    /// ones would miss their carries.</summary>
    internal Span<TCounter> UnsharedCountersFrom(int number) => _block.CountersFrom(ref _octaves, number, Length);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal override void RecordUnlessDisposed(ulong value) => Record(value, 1, dropIfDisposed: true);

    internal override bool TryAdd(CounterView<uint> counters, ref List<(int Number, ulong Count)>? rest)
    {
        _block.Add(ref _octaves, counters, ref rest);
        return true;
    }

    internal override bool TryAdd(CounterView<ulong> counters, ref List<(int Number, ulong Count)>? rest)
    {
        _block.Add(ref _octaves, counters, ref rest);
        return true;
    }

    private protected override void AddRun(int number, int scale, ReadOnlySpan<ulong> counts) =>
        _block.AddRun(ref _octaves, number, scale, counts);

    private protected override void CloseToWriters() => _block.Close(ref _octaves);

    /// <summary>Counts a value. The flag is a constant wherever this is inlined, and so is a count of one: neither costs
    /// anything.</summary>
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

            // Tested before it is stored: the flags of the increment serve, and the counter never shows a wrapped value.
            uint next = *(uint*)counter + (uint)count; // both are below 2³¹
            if ((int)next >= 0)
            {
                *(uint*)counter = next;
                GC.KeepAlive(this);
                return;
            }
        }

        if (dropIfDisposed)
        {
            RecordSlowUnlessDisposed(value);
        }
        else
        {
            RecordSlow(value, count);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RecordSlow(ulong value, ulong count)
    {
        ObjectDisposedException.ThrowIf(_block.IsClosed, this);
        _block.Record(ref _octaves, this, value, count);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RecordSlowUnlessDisposed(ulong value)
    {
        if (!_block.IsClosed)
        {
            _block.Record(ref _octaves, this, value, 1);
        }
    }
}
