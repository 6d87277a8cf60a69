using System.Numerics;
using System.Runtime.InteropServices;

namespace Picollo.Benchmarks.Histogram;

/// <summary>
/// The reference: a simple class with the index formula of the article that introduced Picollo. It computes the block number first, then the
/// position in the block. Values out of range are counted in a separate field.
/// </summary>
internal sealed class ArticleHistogram<TCounter>
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private readonly int _blockScale;
    private readonly TCounter[] _counts;
    private readonly nuint _firstIndex;
    private TCounter _outOfRange;

    public ArticleHistogram(int blockSize, ulong minTrackableValue, ulong maxTrackableValue)
    {
        _blockScale = BitOperations.TrailingZeroCount(blockSize);
        _firstIndex = IndexOf(minTrackableValue);
        _counts = new TCounter[(int)(IndexOf(maxTrackableValue) + 1 - _firstIndex)];
    }

    public ulong[] Counts => Array.ConvertAll(_counts, ulong.CreateChecked);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Record(ulong value) => SlotOf(value)++;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref TCounter SlotOf(ulong value)
    {
        nuint index = IndexOf(value) - _firstIndex;
        if (index >= (nuint)_counts.Length)
        {
            return ref _outOfRange;
        }

        return ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_counts), index);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private nuint IndexOf(ulong value)
    {
        int block = 64 - BitOperations.LeadingZeroCount(value >> _blockScale);
        int stepScale = block - (block != 0 ? 1 : 0);
        ulong withinBlock = (value >> stepScale) & ((1u << _blockScale) - 1);
        return ((nuint)(uint)block << _blockScale) + (nuint)withinBlock;
    }
}
