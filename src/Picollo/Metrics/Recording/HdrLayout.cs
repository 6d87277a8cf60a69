using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Picollo.Metrics;

/// <summary>The bucket layout of an HDR histogram: which bucket a value belongs to, and where a bucket starts and how wide it is.</summary>
/// <remarks>
/// <para>The value space is cut into blocks of <see cref="BlockSize"/> buckets. The buckets of blocks 0 and 1 are one wide, so values below
/// 2·BlockSize are exact; from there the width (the step) doubles with each block. With a block size of 4:</para>
/// <code>
/// block 0: 0 1 2 3          step 1
/// block 1: 4 5 6 7          step 1
/// block 2: 8 10 12 14       step 2
/// block 3: 16 20 24 28      step 4
/// </code>
/// <para>With a unit (<see cref="UnitScale"/>) all of it is in multiples of that power of two, and the index begins above 0, at
/// <see cref="Origin"/>: a bucket wider than the unit has the same index whatever the unit is.</para>
/// <para>A bucket's midpoint is at most step/2 away from any value in it, and the smallest value of a block is step·BlockSize, so the
/// relative error of the midpoint is at most 0.5/BlockSize; of values below BlockSize units, half a unit. The default value is not a valid
/// layout.</para>
/// </remarks>
internal readonly record struct HdrLayout
{
    internal const double MinRelativeError = 0.000_001;
    internal const double MaxRelativeError = 0.1;

    // What no histogram is made with, but one may be shown with: a single bucket from 2ⁿ to 2ⁿ⁺¹.
    internal const double CoarsestRelativeError = 0.5;

    // The mask below then has its top bit at 2⁶¹ at the most, so that two units are below 2⁶³, the limit of the family's formats.
    internal const int MaxUnitAndBlockScale = 61;

    private readonly ulong _mask; // 2·BlockSize − 1 units: the values that blocks 0 and 1 hold
    private readonly int _scale; // log2(BlockSize), 0..19; 3 or more in a histogram
    private readonly int _unitScale;

    public HdrLayout(double relativeError, int unitScale = 0)
    {
        Debug.Assert(relativeError is > 0 and <= CoarsestRelativeError, "checked by the factory, or by who shows a histogram");

        // Rounded up from the real quotient: a truncated 8.93 (0.056 asked) would give 8 buckets and an error of 0.0625.
        uint blockSize = BitOperations.RoundUpToPowerOf2((uint)Math.Ceiling(0.5 / relativeError));
        _scale = BitOperations.TrailingZeroCount(blockSize);
        _unitScale = unitScale;
        _mask = ((2UL * blockSize) - 1) << unitScale;
        Debug.Assert(_scale + unitScale <= MaxUnitAndBlockScale, "checked by the factory");
    }

    /// <summary>Buckets in a block, a power of two from 1 to 524,288.</summary>
    public int BlockSize => 1 << _scale;

    /// <summary>The base-2 logarithm of <see cref="BlockSize"/>.</summary>
    public int BlockScale => _scale;

    /// <summary>The base-2 logarithm of the unit, the width of the buckets of blocks 0 and 1.</summary>
    public int UnitScale => _unitScale;

    /// <summary>The index of the bucket of 0.</summary>
    public uint Origin => (uint)_unitScale << _scale;

    /// <summary>The largest distance of a value from its bucket's midpoint, as a share of the value.</summary>
    public double RelativeError => 0.5 / BlockSize;

    /// <summary>The leading zeros of a value, at most those of the values of blocks 0 and 1: the number of the octave that the value lies
    /// in.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int LeadingZerosOf(ulong value) => BitOperations.LeadingZeroCount(value | _mask);

    /// <summary>The index of the bucket that holds <paramref name="value"/>, from <see cref="Origin"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public uint IndexOf(ulong value)
    {
        // value | _mask has its top bit at _scale + _unitScale or above, so the step, the distance between it and _scale, is that of
        // the unit or more. For a value in block b ≥ 2 the step is b − 1 above the unit's, and value >> step keeps _scale + 1 bits: the
        // leading one counts the block that step << _scale leaves out. For blocks 0 and 1 the step is the unit's. The sum is at most
        // (65 − _scale) << _scale < 2³², so 32 bits hold it; the truncated half of value >> step is zero.
        // 63 ^ lzcnt is the top bit's position; BitOperations.Log2 would add an instruction for a value of 0.
        int step = (63 ^ LeadingZerosOf(value)) - _scale;
        return ((uint)step << _scale) + (uint)(value >> step);
    }

    /// <summary>The base-2 logarithm of the width of the bucket at <paramref name="index"/>.</summary>
    public int StepScaleOf(uint index) => Math.Max((int)(index >> _scale) - 1, _unitScale);

    /// <summary>The smallest value of the bucket at <paramref name="index"/>.</summary>
    public ulong StartOf(uint index)
    {
        // Inverse of IndexOf: what is left of the index without the step's share is value >> step.
        int step = StepScaleOf(index);
        return (ulong)(index - ((uint)step << _scale)) << step;
    }

    /// <summary>The middle of the bucket at <paramref name="index"/>.</summary>
    public ulong MidpointOf(uint index) => StartOf(index) + ((1UL << StepScaleOf(index)) >> 1);

    /// <summary>The largest value of the bucket that holds <paramref name="value"/>.</summary>
    public ulong UpperBoundOf(ulong value) => value | ((1UL << StepScaleOf(IndexOf(value))) - 1);

    /// <summary>The bucket at <paramref name="storageIndex"/> of a storage that begins at <paramref name="firstIndex"/>.</summary>
    public Bucket BucketAt(uint firstIndex, int storageIndex, ulong count)
    {
        uint index = firstIndex + (uint)storageIndex;
        return new Bucket(this, index, count, storageIndex);
    }
}
