namespace Picollo.Metrics;

/// <content>Adding and subtracting histograms.</content>
public abstract partial class HdrHistogram
{
    /// <summary>Adds all counts of another histogram to this one, those outside its range included.</summary>
    /// <param name="other">A histogram or a snapshot of any layout and range. It is read once, as a whole. A bucket that is wider than
    /// those of this one is counted half below and half above its midpoint, an odd count by turns: the sum of all changes by less than one
    /// of these buckets, and the errors of both add up. Where its values do not fit the range of this one they are counted in
    /// <see cref="ReadOnlyHdrHistogram.OverflowCount"/>.</param>
    /// <remarks>Counts as a writer: into a plain histogram only one thread may add or record at a time. A concurrent reader
    /// may see part of what is added.</remarks>
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

        ThrowIfDisposed(); // also where the other has nothing to record
        if (TryAddAlike(other))
        {
            return;
        }

        using CountsCopy copy = other.Read();
        Add(other, copy);
    }

    /// <summary>Adds counters to those at the same places, without a copy between them, if they can be.</summary>
    private bool TryAddAlike(ReadOnlyHdrHistogram other)
    {
        if (other.Layout != Layout || other.FirstIndex != FirstIndex || other.Length != Length)
        {
            return false;
        }

        // What needs a lock of this histogram is done before and after the other's are held: two histograms may be added to each other.
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

    /// <summary>Adds counters to those at the same places, if these have only one writer. Takes no lock.</summary>
    internal virtual bool TryAdd(CounterView<uint> counters, ref List<(int Number, ulong Count)>? rest) => false;

    /// <inheritdoc cref="TryAdd(CounterView{uint}, ref List{ValueTuple{int, ulong}})"/>
    internal virtual bool TryAdd(CounterView<ulong> counters, ref List<(int Number, ulong Count)>? rest) => false;

    /// <summary>Adds the counts of another histogram that were read.</summary>
    internal void Add(ReadOnlyHdrHistogram other, in CountsCopy copy)
    {
        bool isLower = false;
        ReadOnlySpan<ulong> counts = copy.Counts;
        for (int i = counts.IndexOfAnyExcept(0UL); i >= 0 && i < counts.Length; i++)
        {
            if (counts[i] != 0)
            {
                Bucket bucket = other.BucketAt(i, counts[i]);
                ulong step = 1UL << Layout.StepScaleOf(Layout.IndexOf(bucket.MidPoint));
                if (step >= bucket.Step)
                {
                    Record(bucket.Start, bucket.Count); // it lies within one of these
                    continue;
                }

                // Its midpoint is the border of two of these, if they are wider than one value.
                ulong below = step == 1 ? 0 : (bucket.Count + (isLower ? 1UL : 0)) / 2;
                isLower ^= bucket.Count % 2 != 0;
                Record(bucket.MidPoint - 1, below);
                Record(bucket.MidPoint, bucket.Count - below);
            }
        }

        AddOutOfRange(copy);
    }

    internal void AddOutOfRange(in CountsCopy copy)
    {
        WritersBlock.AddOutOfRange(below: true, copy.Underflow);
        WritersBlock.AddOutOfRange(below: false, copy.Overflow);
    }

    /// <summary>Takes the counts of another histogram, those outside its range included, from those of this one, for example what an
    /// earlier snapshot held. All of them or, with an exception, none.</summary>
    /// <param name="other">A histogram or a snapshot of any layout and range, read once, as a whole; its buckets fall where
    /// <see cref="Add(ReadOnlyHdrHistogram)"/> puts them.</param>
    /// <remarks>Writes to no counter, as <see cref="Reset"/> does not, and stops no writer. A snapshot's next
    /// <see cref="HdrHistogramSnapshot.Update"/> takes it for a reset: with deltas, it shows all that is left.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="other"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">A bucket has fewer values here than there.</exception>
    /// <exception cref="ObjectDisposedException">Either histogram is disposed.</exception>
    public void Subtract(ReadOnlyHdrHistogram other)
    {
        ArgumentNullException.ThrowIfNull(other);
        if (other.Layout != Layout || other.FirstIndex != FirstIndex || other.Length != Length)
        {
            PlainHdrHistogram<ulong> alike = new(HdrHistogramSettings.Of(this));
            alike.Add(other);
            other = alike;
        }

        using CountsCopy subtracted = other.Read();
        lock (Gate)
        {
            using CountsCopy own = Read();
            for (int i = 0; i < Length; i++)
            {
                if (own.Counts[i] < subtracted.Counts[i])
                {
                    throw new ArgumentException(
                        $"There are not {subtracted.Counts[i]} values to subtract in {BucketAt(i, own.Counts[i])}.", nameof(other));
                }
            }

            if (own.Underflow < subtracted.Underflow || own.Overflow < subtracted.Overflow)
            {
                throw new ArgumentException("There are fewer values out of range than are to be subtracted.", nameof(other));
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
        HdrHistogram target, ref List<(int Number, ulong Count)>? rest, out (ulong Underflow, ulong Overflow) outOfRange)
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
                    return false; // at the first block: it depends on the target
                }
            }

            return true;
        }
    }
}
