namespace Picollo.Metrics;

/// <summary>The bucket layout of an HDR histogram: maps values to buckets, and buckets to their start and width.</summary>
/// <remarks>
/// <para>The value space is divided into blocks of <see cref="BlockSize"/> buckets. The buckets of blocks 0 and 1 have width 1, so values
/// below 2·BlockSize are exact. From there, the width (the step) doubles with each block. With a block size of 4:</para>
/// <code>
/// block 0: 0 1 2 3          step 1
/// block 1: 4 5 6 7          step 1
/// block 2: 8 10 12 14       step 2
/// block 3: 16 20 24 28      step 4
/// </code>
/// <para>With a unit (<see cref="UnitScale"/>), starts and widths are multiples of that power of two, and the first index is
/// <see cref="Origin"/> instead of 0: a bucket that is wider than the unit has the same index for every unit.</para>
/// <para>The midpoint of a bucket is at most step/2 away from any value in the bucket, and the smallest value of a block is step·BlockSize,
/// so the relative error of the midpoint is at most 0.5/BlockSize. For values below BlockSize units, the error is half a unit. The default
/// value is not a valid layout.</para>
/// </remarks>
internal readonly record struct HdrLayout
{
    internal const double MinRelativeError = 0.000_001;
    internal const double MaxRelativeError = 0.1;

    // A single bucket from 2ⁿ to 2ⁿ⁺¹. No histogram records with this error, but a read-only one may have it.
    internal const double CoarsestRelativeError = 0.5;

    // The top bit of the mask below is then at most 2⁶¹, so that two units are below 2⁶³, the limit of the formats of the HdrHistogram
    // project.
    internal const int MaxUnitAndBlockScale = 61;

    private readonly ulong _mask; // 2·BlockSize − 1 units: the values that blocks 0 and 1 hold
    private readonly int _scale; // log2(BlockSize), 0..19; 3 or more in a histogram
    private readonly int _unitScale;

    public HdrLayout(double relativeError, int unitScale = 0)
    {
        Debug.Assert(relativeError is > 0 and <= CoarsestRelativeError, "checked by the caller");

        // Round the exact quotient up: for an error of 0.056, truncating 8.93 would give 8 buckets and an error of 0.0625.
        uint blockSize = BitOperations.RoundUpToPowerOf2((uint)Math.Ceiling(0.5 / relativeError));
        _scale = BitOperations.TrailingZeroCount(blockSize);
        _unitScale = unitScale;
        _mask = ((2UL * blockSize) - 1) << unitScale;
        Debug.Assert(_scale + unitScale <= MaxUnitAndBlockScale, "checked by the factory");
    }

    /// <summary>The number of buckets in a block, a power of two from 1 to 524,288.</summary>
    public int BlockSize => 1 << _scale;

    /// <summary>The base-2 logarithm of <see cref="BlockSize"/>.</summary>
    public int BlockScale => _scale;

    /// <summary>The base-2 logarithm of the unit, the width of the buckets of blocks 0 and 1.</summary>
    public int UnitScale => _unitScale;

    /// <summary>The index of the bucket of 0.</summary>
    public uint Origin => (uint)_unitScale << _scale;

    /// <summary>The largest distance of a value from its bucket's midpoint, divided by the value.</summary>
    public double RelativeError => 0.5 / BlockSize;

    /// <summary>Returns the number of leading zeros of a value, which identifies its octave. All values of blocks 0 and 1 have the same
    /// result.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int LeadingZerosOf(ulong value) => BitOperations.LeadingZeroCount(value | _mask);

    /// <summary>Returns the index of the bucket that contains <paramref name="value"/>. The first index is <see cref="Origin"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public uint IndexOf(ulong value)
    {
        // The top bit of value | _mask is at _scale + _unitScale or above, so the step, its distance from _scale, is at least _unitScale.
        // For a value in block b ≥ 2, the step is _unitScale + b − 1, and value >> step has _scale + 1 bits: the leading one accounts for
        // the block that step << _scale omits. For blocks 0 and 1, the step is _unitScale. The sum is at most (65 − _scale) << _scale
        // < 2³², so it fits in 32 bits, and the truncated half of value >> step is zero. 63 ^ lzcnt is the position of the top bit;
        // BitOperations.Log2 would add an instruction for a value of 0.
        int step = (63 ^ LeadingZerosOf(value)) - _scale;
        return ((uint)step << _scale) + (uint)(value >> step);
    }

    /// <summary>Returns the base-2 logarithm of the width of the bucket at <paramref name="index"/>.</summary>
    public int StepScaleOf(uint index) => Math.Max((int)(index >> _scale) - 1, _unitScale);

    public ulong StartOf(uint index)
    {
        // Inverse of IndexOf: the index minus step << _scale is value >> step.
        int step = StepScaleOf(index);
        return (ulong)(index - ((uint)step << _scale)) << step;
    }

    public ulong MidpointOf(uint index) => StartOf(index) + ((1UL << StepScaleOf(index)) >> 1);

    /// <summary>Returns the largest value of the bucket that contains <paramref name="value"/>.</summary>
    public ulong UpperBoundOf(ulong value) => value | ((1UL << StepScaleOf(IndexOf(value))) - 1);
}

/// <summary>The buckets of a layout that have counters in a histogram.</summary>
internal readonly record struct CounterRange(HdrLayout Layout, uint FirstIndex, int Length);
