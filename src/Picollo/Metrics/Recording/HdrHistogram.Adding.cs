namespace Picollo.Metrics;

/// <content>Adding and subtracting histograms.</content>
public abstract partial class HdrHistogram
{
    private const int MaxRun = 512; // counts that are added at once; two such arrays are on the stack

    /// <summary>Adds all counts of another histogram to this one, including its out-of-range counts.</summary>
    /// <param name="other">The histogram or snapshot to add, of any layout and range. It is read once, as a whole. If its buckets are wider
    /// than those of this histogram, half of each count is added below the bucket's midpoint and half above it: a third if the bucket above
    /// is twice as wide. The remaining value of an odd count is added to the two sides alternately. The sum of all values changes by less
    /// than the width of one bucket of this histogram, and the relative errors add up. Values outside the range of this histogram are
    /// counted in <see cref="ReadOnlyHdrHistogram.OverflowCount"/>.</param>
    /// <remarks>The caller is a writer: only one thread at a time may add to a plain histogram or record into it. A concurrent reader may
    /// see a part of the added counts.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="other"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="other"/> is this histogram.</exception>
    /// <exception cref="ObjectDisposedException">Either histogram is disposed.</exception>
    public void Add(ReadOnlyHdrHistogram other)
    {
        ArgumentNullException.ThrowIfNull(other);
        if (ReferenceEquals(other, this))
        {
            throw new ArgumentException("A histogram cannot be added to itself; add a snapshot of it to double its counts.", nameof(other));
        }

        ThrowIfDisposed(); // also if the other histogram is empty
        if (TryAddSameLayout(other))
        {
            return;
        }

        using CountsCopy copy = other.Read();
        Add(other.Layout, other.FirstIndex, copy.Counts);
        AddOutOfRange(copy);
    }

    /// <summary>Adds counts of buckets, for example those of <see cref="HdrHistogramCounts"/> or of data that is decoded.</summary>
    /// <param name="layout">The layout of the buckets. If it is not the layout of this histogram, counts are assigned as in
    /// <see cref="Add(ReadOnlyHdrHistogram)"/>.</param>
    /// <param name="firstIndex">The index of the first bucket in the layout.</param>
    /// <param name="counts">The counts of consecutive buckets.</param>
    /// <remarks>The caller is a writer: only one thread at a time may add to a plain histogram or record into it.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The layout does not have all of these buckets.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public void AddCounts(HdrHistogramLayout layout, int firstIndex, ReadOnlySpan<ulong> counts)
    {
        ThrowIfDisposed();
        if (counts.IsEmpty)
        {
            return;
        }

        uint first = layout.InternalIndex(firstIndex);
        _ = layout.InternalIndex(firstIndex + counts.Length - 1);
        if (layout != Layout)
        {
            Add(layout, first, counts);
            return;
        }

        for (int from = 0, to; from < counts.Length; from = to)
        {
            int index = firstIndex + from;
            to = Math.Min(from + BlockSize - (index & (BlockSize - 1)), counts.Length);
            AddRun((int)(first - FirstIndex) + from, 0, counts[from..to]);
        }
    }

    /// <summary>Adds the counters of a histogram with the same layout and range directly, without an intermediate copy, if
    /// possible.</summary>
    private bool TryAddSameLayout(ReadOnlyHdrHistogram other)
    {
        if (other.Layout != Layout || other.FirstIndex != FirstIndex || other.Length != Length)
        {
            return false;
        }

        // Take the locks of this histogram only while those of the other are not held, because two threads may add two histograms to each
        // other.
        CounterBlock own = WritersBlock;
        List<(int Number, ulong Count)>? rest = null;
        if (!other.TryAddTo(this, ref rest, out (ulong Underflow, ulong Overflow) outOfRange))
        {
            return false;
        }

        foreach ((int number, ulong count) in rest ?? [])
        {
            Record(BucketAt(number, count).Start, count);
        }

        own.AddOutOfRange(below: true, outOfRange.Underflow);
        own.AddOutOfRange(below: false, outOfRange.Overflow);
        return true;
    }

    /// <summary>Adds counters to the counters with the same numbers if this histogram's counters have a single writer. Takes no
    /// lock.</summary>
    private protected virtual bool TryAdd<TCount>(CounterView<TCount> counters, ref List<(int Number, ulong Count)>? rest)
        where TCount : unmanaged, IBinaryInteger<TCount>, IUnsignedNumber<TCount> => false;

    bool ICounterTarget.TryAdd<TCount>(CounterView<TCount> counters, ref List<(int Number, ulong Count)>? rest) =>
        TryAdd(counters, ref rest);

    /// <summary>Adds counts of buckets of another layout.</summary>
    /// <remarks>Adds runs of counts that lie in one octave in both histograms, so that each bucket takes an addition and a shift instead of
    /// an index computation (3 ns instead of 15, November 2026).</remarks>
    private void Add(HdrHistogramLayout layout, uint firstIndex, ReadOnlySpan<ulong> counts)
    {
        Span<ulong> below = stackalloc ulong[MaxRun], above = stackalloc ulong[MaxRun];
        ulong isLower = 0;
        for (int from = 0, to; counts[from..].IndexOfAnyExcept(0UL) is var zeros and >= 0; from = to)
        {
            from += zeros;
            uint index = firstIndex + (uint)from;
            int scale = layout.StepScaleOf(index);
            ulong midpoint = layout.MidpointOf(index);
            int leadingZeros = Layout.LeadingZerosOf(midpoint);
            uint ownIndex = Layout.IndexOf(midpoint);
            int ownScale = Layout.StepScaleOf(ownIndex);
            int number = (int)(ownIndex - FirstIndex);

            // The run ends with the other histogram's block or with this histogram's octave, whose end wraps to 0 for the last octave.
            ulong toEndOfOctave = (1UL << (63 - leadingZeros) << 1) - midpoint;
            ulong length = Math.Min((ulong)Math.Min(MaxRun, counts.Length - from), ((toEndOfOctave - 1) >> scale) + 1);
            length = Math.Min(length, (ulong)layout.BlockSize - (index & (uint)(layout.BlockSize - 1)));
            to = from + (int)length;
            ReadOnlySpan<ulong> run = counts[from..to].TrimEnd(0UL);
            if (ownScale >= scale)
            {
                // Each bucket of the other histogram lies within one bucket of this one.
                int last = 0;
                above[..run.Length].Clear();
                for (int i = 0; i < run.Length; i++)
                {
                    last = (int)(((midpoint + ((ulong)i << scale)) >> ownScale) - (midpoint >> ownScale));
                    above[last] += run[i];
                }

                AddRun(number, 0, above[..(last + 1)]);
                continue;
            }

            // Each midpoint is the border between two buckets of this histogram, unless they are one value wide.
            for (int i = 0; i < run.Length; i++)
            {
                below[i] = ownScale == 0 ? 0 : (run[i] >> 1) + (run[i] & isLower);
                above[i] = run[i] - below[i];
                isLower ^= run[i] & 1;
            }

            // At a power of two, which can only be the midpoint of the lowest bucket of the other histogram, the bucket above may be twice
            // as wide as the one below. Its midpoint is then twice as far away.
            if (ownScale > 1 && Layout.StepScaleOf(ownIndex - 1) < ownScale)
            {
                Debug.Assert(run.Length == 1, "the next bucket is in another octave");
                isLower = 0;
                above[0] = (run[0] / 3) + (run[0] % 3 / 2); // rounded
                below[0] = run[0] - above[0];
            }

            AddRun(number - 1, scale - ownScale, below[..run.Length]);
            AddRun(number, scale - ownScale, above[..run.Length]);
        }
    }

    /// <summary>Adds counts to every 2^<paramref name="scale"/>th counter, starting at <paramref name="number"/>. Counts outside the range
    /// are added to the out-of-range counts.</summary>
    private protected virtual void AddRun(int number, int scale, ReadOnlySpan<ulong> counts)
    {
        for (int i = 0; i < counts.Length; i++)
        {
            if (counts[i] != 0)
            {
                Record(Layout.StartOf(FirstIndex + (uint)(number + (i << scale))), counts[i]);
            }
        }
    }

    internal void AddOutOfRange(in CountsCopy copy)
    {
        WritersBlock.AddOutOfRange(below: true, copy.Underflow);
        WritersBlock.AddOutOfRange(below: false, copy.Overflow);
    }

    /// <summary>Subtracts all counts of another histogram, for example of an earlier snapshot, including its out-of-range counts. If the
    /// method throws, nothing is subtracted.</summary>
    /// <param name="other">The histogram or snapshot to subtract, of any layout and range. It is read once, as a whole. Buckets are
    /// assigned as in <see cref="Add(ReadOnlyHdrHistogram)"/>.</param>
    /// <remarks>Like <see cref="Reset"/>, it does not write to the counters and does not stop any writer. The next
    /// <see cref="HdrHistogramSnapshot.Update"/> of a snapshot treats it as a reset: with deltas, the snapshot then contains all remaining
    /// counts.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="other"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">A bucket, or the out-of-range count, of this histogram is smaller than that of
    /// <paramref name="other"/>.</exception>
    /// <exception cref="ObjectDisposedException">Either histogram is disposed.</exception>
    public void Subtract(ReadOnlyHdrHistogram other)
    {
        ArgumentNullException.ThrowIfNull(other);
        if (other.Layout != Layout || other.FirstIndex != FirstIndex || other.Length != Length)
        {
            PlainHdrHistogram<ulong> sameLayout = new(HdrHistogramSettings.FromHistogram(this));
            sameLayout.Add(other);
            other = sameLayout;
        }

        using CountsCopy subtracted = other.Read();
        lock (Gate)
        {
            using CountsCopy own = Read();
            for (int i = 0; i < Length; i++)
            {
                if (own.Counts[i] < subtracted.Counts[i])
                {
                    Bucket bucket = BucketAt(i, own.Counts[i]);
                    throw new ArgumentException(
                        $"The bucket from {bucket.Start} to {bucket.End} has {bucket.Count} values, so {subtracted.Counts[i]} cannot be "
                        + "subtracted.",
                        nameof(other));
                }
            }

            if (own.Underflow < subtracted.Underflow || own.Overflow < subtracted.Overflow)
            {
                throw new ArgumentException("Cannot subtract more out-of-range values than were recorded.", nameof(other));
            }

            _baseline ??= new Baseline(Length);
            for (int i = 0; i < Length; i++)
            {
                _baseline.Counts[i] += subtracted.Counts[i];
            }

            _baseline.OutOfRange.Underflow += subtracted.Underflow;
            _baseline.OutOfRange.Overflow += subtracted.Overflow;
            _resetCount++;
        }
    }

    internal sealed override bool TryAddTo(
        ICounterTarget target, ref List<(int Number, ulong Count)>? rest, out (ulong Underflow, ulong Overflow) outOfRange)
    {
        lock (Gate)
        {
            outOfRange = ReadOutOfRange(); // throws if the histogram is disposed
            if (_baseline is not null)
            {
                return false;
            }

            foreach (CounterBlock? block in Blocks)
            {
                if (block is not null && !block.TryAddTo(target, ref rest))
                {
                    return false; // always at the first block, because the result depends on the target
                }
            }

            return true;
        }
    }
}
