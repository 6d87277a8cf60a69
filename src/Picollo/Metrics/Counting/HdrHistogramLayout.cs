namespace Picollo.Metrics;

/// <summary>The bucket layout of an HDR histogram: maps values to buckets, and buckets to their values.</summary>
/// <remarks>
/// <para>The value space is divided into blocks of <see cref="BlockSize"/> buckets. The buckets of blocks 0 and 1 have width 1, so values
/// below 2·BlockSize are exact. From there, the width (the step) doubles with each block. With a block size of 4:</para>
/// <code>
/// block 0: 0 1 2 3          step 1
/// block 1: 4 5 6 7          step 1
/// block 2: 8 10 12 14       step 2
/// block 3: 16 20 24 28      step 4
/// </code>
/// <para>With a unit (<see cref="LowestDiscernibleValue"/>), starts and widths are multiples of that power of two.</para>
/// <para>The midpoint of a bucket is at most step/2 away from any value in the bucket, and the smallest value of a block is step·BlockSize,
/// so the relative error of the midpoint is at most 0.5/BlockSize. For values below BlockSize units, the error is half a unit.</para>
/// <para>A bucket has an index, which is 0 for the bucket of the value 0 (<see cref="Bucket.LogicalIndex"/>). Layouts are equal if all
/// their buckets are. The default value is the coarsest layout, of the relative error 0.5: one bucket for 0 and one for each power of
/// two. Immutable and thread-safe; no method allocates.</para>
/// </remarks>
public readonly record struct HdrHistogramLayout
{
    internal const double MinRelativeError = 0.000_001;
    internal const double MaxRelativeError = 0.1;

    // The top bit of the mask below is then at most 2⁶¹, so that two units are below 2⁶³, the limit of the formats of the HdrHistogram
    // project.
    internal const int MaxUnitAndBlockScale = 61;

    // The bounds of a layout are wider than those of a histogram that records: block sizes are rounded up, and data of other libraries can
    // have a single bucket from 2ⁿ to 2ⁿ⁺¹.
    private const int MaxScale = 19;
    private const double FinestRelativeError = 0.5 / (1 << MaxScale);
    private const double CoarsestRelativeError = 0.5;

    // The values that blocks 0 and 1 hold, 2·BlockSize − 1 units, without the lowest bit, so that the default value is a layout.
    private readonly ulong _mask;
    private readonly int _scale; // log2(BlockSize), 0..19; 3 or more in a histogram
    private readonly int _unitScale;

    /// <summary>Creates a layout.</summary>
    /// <param name="relativeError">The largest relative distance of a value from the midpoint of its bucket, from 2⁻²⁰ (0.00000095) to 0.5.
    /// It is rounded down to 0.5 divided by a power of two.</param>
    /// <param name="lowestDiscernibleValue">The unit, 1 or more. It is rounded down to a power of two. Its product with
    /// <see cref="BlockSize"/> must be at most 2⁶¹.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is outside its range or NaN.</exception>
    /// <exception cref="ArgumentException">The lowest discernible value is too large for the relative error.</exception>
    public HdrHistogramLayout(double relativeError, ulong lowestDiscernibleValue = 1)
    {
        if (relativeError is not (>= FinestRelativeError and <= CoarsestRelativeError))
        {
            throw new ArgumentOutOfRangeException(
                nameof(relativeError), relativeError, "The relative error must be from 2^-20 (0.00000095) to 0.5.");
        }

        ArgumentOutOfRangeException.ThrowIfZero(lowestDiscernibleValue);

        // Round the exact quotient up: for an error of 0.056, truncating 8.93 would give 8 buckets and an error of 0.0625.
        uint blockSize = BitOperations.RoundUpToPowerOf2((uint)Math.Ceiling(0.5 / relativeError));
        _scale = BitOperations.TrailingZeroCount(blockSize);
        _unitScale = BitOperations.Log2(lowestDiscernibleValue);
        _mask = (((2UL * blockSize) - 1) << _unitScale) & ~1UL;
        if (_scale + _unitScale > MaxUnitAndBlockScale)
        {
            throw new ArgumentException(
                $"LowestDiscernibleValue ({LowestDiscernibleValue}) times BlockSize ({blockSize}) must be at most 2^61.");
        }
    }

    /// <summary>The number of buckets in a block, a power of two from 1 to 524,288.</summary>
    public int BlockSize => 1 << _scale;

    /// <summary>The unit: the width of the buckets of blocks 0 and 1, a power of two.</summary>
    public ulong LowestDiscernibleValue => 1UL << _unitScale;

    /// <summary>The largest distance of a value from its bucket's midpoint, divided by the value: <c>0.5 / BlockSize</c>.</summary>
    public double RelativeError => 0.5 / BlockSize;

    /// <summary>The base-2 logarithm of <see cref="BlockSize"/>.</summary>
    internal int BlockScale => _scale;

    /// <summary>The base-2 logarithm of <see cref="LowestDiscernibleValue"/>.</summary>
    internal int UnitScale => _unitScale;

    /// <summary>The internal index of the bucket of 0. Internal indexes are public ones plus this number: a bucket that is wider than the
    /// unit has the same internal index for every unit.</summary>
    internal uint Origin => (uint)_unitScale << _scale;

    /// <summary>Returns the index of the bucket that contains a value.</summary>
    /// <param name="value">The value.</param>
    /// <returns>The index, 0 or more. A larger value has the same or a larger index.</returns>
    public int GetIndex(ulong value) => (int)(IndexOf(value) - Origin);

    /// <summary>Returns the smallest value of a bucket.</summary>
    /// <param name="index">The index of the bucket, from 0 to that of 2⁶⁴−1.</param>
    /// <returns>The smallest value.</returns>
    /// <exception cref="ArgumentOutOfRangeException">There is no bucket with this index.</exception>
    public ulong GetStart(int index) => StartOf(InternalIndex(index));

    /// <summary>Returns the largest value of a bucket.</summary>
    /// <returns>The largest value.</returns>
    /// <inheritdoc cref="GetStart"/>
    public ulong GetEnd(int index) => StartOf(InternalIndex(index)) + (GetStep(index) - 1);

    /// <summary>Returns the middle of a bucket, its start plus half of its width.</summary>
    /// <returns>The value that represents the bucket with the <see cref="RelativeError"/>.</returns>
    /// <inheritdoc cref="GetStart"/>
    public ulong GetMidpoint(int index) => MidpointOf(InternalIndex(index));

    /// <summary>Returns the width of a bucket.</summary>
    /// <returns>The number of values, a power of two.</returns>
    /// <inheritdoc cref="GetStart"/>
    public ulong GetStep(int index) => 1UL << StepScaleOf(InternalIndex(index));

    /// <summary>Returns the number of leading zeros of a value, which identifies its octave. All values of blocks 0 and 1 have the same
    /// result.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int LeadingZerosOf(ulong value) => BitOperations.LeadingZeroCount(value | _mask | 1);

    /// <summary>Returns the internal index of the bucket that contains <paramref name="value"/>. The first one is
    /// <see cref="Origin"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal uint IndexOf(ulong value)
    {
        // The top bit of value | _mask | 1 is at _scale + _unitScale or above, so the step, its distance from _scale, is at least
        // _unitScale. For a value in block b ≥ 2, the step is _unitScale + b − 1, and value >> step has _scale + 1 bits: the leading one
        // accounts for the block that step << _scale omits. For blocks 0 and 1, the step is _unitScale. The sum is at most
        // (65 − _scale) << _scale < 2³¹, so it fits in 32 bits, and the truncated half of value >> step is zero. 63 ^ lzcnt is the position
        // of the top bit.
        int step = (63 ^ LeadingZerosOf(value)) - _scale;
        return ((uint)step << _scale) + (uint)(value >> step);
    }

    /// <summary>Returns the base-2 logarithm of the width of the bucket at an internal index.</summary>
    internal int StepScaleOf(uint index) => Math.Max((int)(index >> _scale) - 1, _unitScale);

    internal ulong StartOf(uint index)
    {
        // Inverse of IndexOf: the index minus step << _scale is value >> step.
        int step = StepScaleOf(index);
        return (ulong)(index - ((uint)step << _scale)) << step;
    }

    internal ulong MidpointOf(uint index) => StartOf(index) + ((1UL << StepScaleOf(index)) >> 1);

    /// <summary>Returns the largest value of the bucket that contains <paramref name="value"/>.</summary>
    internal ulong UpperBoundOf(ulong value) => value | ((1UL << StepScaleOf(IndexOf(value))) - 1);

    /// <summary>Validates an index and returns the internal index of its bucket.</summary>
    internal uint InternalIndex(int index)
    {
        int count = (65 - _scale - _unitScale) << _scale; // block 0, and one block for each octave up to 2⁶³
        return (uint)index < (uint)count
            ? Origin + (uint)index
            : throw new ArgumentOutOfRangeException(nameof(index), index, $"The layout has {count} buckets, with indexes from 0.");
    }

    private bool PrintMembers(StringBuilder text) => text.Append(
        CultureInfo.InvariantCulture, $"BlockSize = {BlockSize}, LowestDiscernibleValue = {LowestDiscernibleValue}").Length > 0;
}

/// <summary>The buckets of a layout that have counters in a histogram.</summary>
internal readonly record struct CounterRange(HdrHistogramLayout Layout, uint FirstIndex, int Length);
