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
    private TCounter[] _counts; // the block's, beside the layout; empty once disposed

    internal PlainHdrHistogram(HdrHistogramSettings settings)
        : base(settings)
    {
        _block = new CounterBlock<TCounter>(Length);
        _counts = _block.Counts;
        Blocks = [_block];
    }

    private protected override CounterBlock WritersBlock => _block;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Record(ulong value) => RecordOne(value, dropIfDisposed: false);

    /// <inheritdoc/>
    public override PlainHdrHistogram<TCounter> Clone() => FillClone(static settings => new PlainHdrHistogram<TCounter>(settings));

    /// <inheritdoc/>
    public override void Record(ulong value, ulong count) => RecordSlow(value, count);

    /// <inheritdoc/>
    public override void Record(ReadOnlySpan<ulong> values)
    {
        ObjectDisposedException.ThrowIf(_counts.Length == 0, this);
        _block.Record(this, values);
    }

    /// <summary>The counters of a histogram that no other code has yet, for its producer. 32-bit ones would miss their carries.</summary>
    internal Span<TCounter> UnsharedCounters => _counts;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal override void RecordUnlessDisposed(ulong value) => RecordOne(value, dropIfDisposed: true);

    private protected override void CloseToWriters() => _counts = [];

    /// <summary>Counts a value. The flag is a constant wherever this is inlined, so it costs nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void RecordOne(ulong value, bool dropIfDisposed)
    {
        HdrLayout layout = Layout; // a copy: the JIT loads its fields instead of their address
        uint index = layout.IndexOf(value) - FirstIndex;
        TCounter[] counts = _counts;
        if (index < (uint)counts.Length)
        {
            if (typeof(TCounter) == typeof(ulong))
            {
                Unsafe.As<TCounter, ulong>(ref counts[index])++;
                return;
            }

            // Tested before it is stored: the flags of the increment serve, and the counter never shows a wrapped value.
            ref uint counter = ref Unsafe.As<TCounter, uint>(ref counts[index]);
            uint next = counter + 1;
            if ((int)next >= 0)
            {
                counter = next;
                return;
            }
        }

        if (dropIfDisposed)
        {
            RecordSlowUnlessDisposed(value);
        }
        else
        {
            RecordSlow(value, 1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RecordSlow(ulong value, ulong count)
    {
        ObjectDisposedException.ThrowIf(_counts.Length == 0, this);
        _block.Record(this, value, count);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RecordSlowUnlessDisposed(ulong value)
    {
        if (_counts.Length != 0)
        {
            _block.Record(this, value, 1);
        }
    }
}
