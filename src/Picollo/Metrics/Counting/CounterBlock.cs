namespace Picollo.Metrics;

/// <summary>The storage-independent part of a <see cref="CounterBlock{TCounter}"/>, for readers.</summary>
internal abstract class CounterBlock
{
    private ulong _underflow;
    private ulong _overflow;

    /// <summary>The lock that readers hold while they read the counters and the carries. A writer whose counter reaches 2³¹ also takes
    /// it.</summary>
    public object Gate { get; } = new();

    public (ulong Underflow, ulong Overflow) OutOfRange
    {
        get
        {
            (ulong underflow, ulong overflow) = CountersOutOfRange();
            return (Volatile.Read(ref _underflow) + underflow, Volatile.Read(ref _overflow) + overflow);
        }
    }

    public abstract long FootprintInBytes { get; }

    /// <summary>Adds to the out-of-range counts. Any thread may call it.</summary>
    public void AddOutOfRange(bool below, ulong count) => Interlocked.Add(ref below ? ref _underflow : ref _overflow, count);

    /// <summary>The range of counters outside which all counts of the block are 0.</summary>
    public abstract Range Used { get; }

    /// <summary>Adds the counts in a range to <paramref name="sums"/>. Called with <see cref="Gate"/> held.</summary>
    public abstract void AddCountsTo(Span<ulong> sums, Range range);

    /// <summary>Works like <see cref="AddCountsTo"/>, but overwrites <paramref name="sums"/>, which saves a pass that clears it.</summary>
    public abstract void CopyCountsTo(Span<ulong> sums, Range range);

    /// <summary>Writes the differences from the previous counts to <paramref name="deltas"/> and the current counts to
    /// <paramref name="last"/>.</summary>
    public abstract void ReadDeltas(Span<ulong> last, Span<ulong> deltas);

    /// <summary>Adds the block's counts in range to a histogram of the same layout and range. Counts that do not fit in its counters are
    /// added to <paramref name="rest"/>. Returns <see langword="false"/>, with nothing added, if the histogram's counters have several
    /// writers.</summary>
    public abstract bool TryAddTo(ICounterTarget target, ref List<(int Number, ulong Count)>? rest);

    /// <summary>Reads the counters of ranks and the moments directly, without a copy. Returns <see langword="false"/> if the counters were
    /// changed in the meantime.</summary>
    public abstract bool TryRead(
        ReadOnlySpan<double> ranks, Span<CounterAtRank> found, bool needsMoments, out CounterMoments moments, out ulong outOfRange);

    /// <summary>Returns the counts of the counters that are outside the range but in one of its octaves.</summary>
    private protected abstract (ulong Underflow, ulong Overflow) CountersOutOfRange();
}

/// <summary>A histogram that can receive the counters of another one with the same layout and range, if its counters have a single writer.
/// Takes no lock. Counts that do not fit in its counters are added to <c>rest</c>.</summary>
internal interface ICounterTarget
{
    bool TryAdd<TCount>(CounterView<TCount> counters, ref List<(int Number, ulong Count)>? rest)
        where TCount : unmanaged, IBinaryInteger<TCount>, IUnsignedNumber<TCount>;
}

/// <summary>The counters of a histogram or of one of its threads, in pages that are allocated on first use. Also contains the counts that
/// do not fit in a counter: the carries of 32-bit counters and the out-of-range counts.</summary>
/// <remarks>
/// <para>Histograms write directly to the counters, at the addresses in an <see cref="OctaveTable"/> that this class fills. This class
/// handles the rare cases.</para>
/// <para>Counters only grow (a reset is a baseline that readers subtract), so a reader that copies them during writes sees each record that
/// happened before the start of the copy.</para>
/// <para>A 32-bit counter exceeds 2³¹ only briefly: the writer that sees the top bit moves the count to the carries, under the lock that
/// readers hold while they copy. A reader therefore sees each count exactly once, in the counter or in the carries.</para>
/// <para>An octave has all its counters even if the range starts or ends within it, so that a writer needs no comparison. Readers treat the
/// counters outside the range as out-of-range counts.</para>
/// </remarks>
internal sealed partial class CounterBlock<TCounter> : CounterBlock
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    /// <summary>The limit at which the count of a 32-bit counter moves to the carries: the sign bit, which is tested by one processor
    /// flag. From half of it on, a count also moves when another one is added to its carries.</summary>
    private const uint CarryUnit = 1u << 31;

    private readonly CounterRange _range;
    private readonly CounterPages<TCounter> _pages;

    private List<Carry>? _carries; // in the order of their counters; guarded by Gate; null until the first carry

    private bool _isClosed;

    public CounterBlock(CounterRange range) => (_range, _pages) = (range, new CounterPages<TCounter>(range));

    public override long FootprintInBytes
    {
        get
        {
            lock (Gate)
            {
                long octaves = OctaveTable.Length * sizeof(long);
                return octaves + _pages.FootprintInBytes + Footprint.OfList(_carries);
            }
        }
    }

    public bool IsClosed => Volatile.Read(ref _isClosed);

    /// <summary>Closes the block to writers: their next record finds no address. A concurrent record is lost.</summary>
    public void Close(ref OctaveTable octaves)
    {
        Volatile.Write(ref _isClosed, true);
        Interlocked.MemoryBarrier(); // a writer that adds a page either sees this or has its addresses cleared below
        OctaveTable.Clear(ref octaves);
    }

    /// <summary>Returns the counter with a number. Allocates its page if needed.</summary>
    public ref TCounter CounterAt(ref OctaveTable octaves, int number)
    {
        ref TCounter counter = ref _pages.CounterAt(number, out bool isNew);
        if (isNew && !IsClosed)
        {
            _pages.Publish(number, ref octaves);
            Interlocked.MemoryBarrier();
            if (IsClosed)
            {
                OctaveTable.Clear(ref octaves);
            }
        }

        return ref counter;
    }

    /// <summary>Returns the counters in [<paramref name="from"/>, <paramref name="to"/>) that are in the same page as the first. Allocates
    /// the page if needed.</summary>
    public Span<TCounter> CountersFrom(ref OctaveTable octaves, int from, int to) =>
        MemoryMarshal.CreateSpan(ref CounterAt(ref octaves, from), _pages.EndOfPage(from, to) - from);

    /// <summary>Adds to the counter of a value, or to the out-of-range counts. The calling thread must be the only writer.</summary>
    public void Record(ref OctaveTable octaves, ulong value, ulong count)
    {
        if (IsInRange(value, count, out int number))
        {
            Add(ref octaves, number, count);
        }
    }

    /// <summary>Works like <see cref="Record(ref OctaveTable, ulong, ulong)"/>, for counters with several
    /// writers.</summary>
    public void RecordInterlocked(ref OctaveTable octaves, ulong value, ulong count)
    {
        if (IsInRange(value, count, out int number))
        {
            AddInterlocked(ref octaves, number, count);
        }
    }

    /// <summary>Moves the count of a value's 32-bit counter that reached 2³¹ to the carries. Any writer may call it.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void MoveToCarries(ulong value)
    {
        int number = (int)(_range.Layout.IndexOf(value) - _range.FirstIndex);
        AddToCarries(number, ref Unsafe.As<TCounter, uint>(ref _pages.CounterAt(number, out _)), 0);
    }

    public override Range Used => _pages.Used;

    public override void AddCountsTo(Span<ulong> sums, Range range) => View.AddTo(sums, range);

    public override void CopyCountsTo(Span<ulong> sums, Range range) => View.CopyTo(sums, range);

    public override void ReadDeltas(Span<ulong> last, Span<ulong> deltas)
    {
        lock (Gate)
        {
            View.ReadDeltas(last, deltas);
        }
    }

    public override bool TryRead(
        ReadOnlySpan<double> ranks, Span<CounterAtRank> found, bool needsMoments, out CounterMoments moments, out ulong outOfRange)
    {
        lock (Gate)
        {
            (ulong underflow, ulong overflow) = OutOfRange;
            outOfRange = underflow + overflow;
            return CounterScan.TryRead(_range, View, ranks, found, needsMoments, out moments);
        }
    }

    /// <summary>The counts in range. Used with <see cref="CounterBlock.Gate"/> held, because a writer may move a count to the
    /// carries.</summary>
    private CounterView<TCounter> View => _pages.View(CollectionsMarshal.AsSpan(_carries));

    private protected override (ulong Underflow, ulong Overflow) CountersOutOfRange()
    {
        lock (Gate)
        {
            (ulong underflow, ulong overflow) = _pages.SumOutOfRange();
            foreach (Carry carry in CollectionsMarshal.AsSpan(_carries))
            {
                underflow += carry.Number < 0 ? carry.Count : 0;
                overflow += carry.Number >= _pages.Length ? carry.Count : 0;
            }

            return (underflow, overflow);
        }
    }

    /// <summary>Gets the counter number of a value, or adds the value to the out-of-range counts.</summary>
    private bool IsInRange(ulong value, ulong count, out int number)
    {
        number = (int)(_range.Layout.IndexOf(value) - _range.FirstIndex);
        if ((uint)number < (uint)_range.Length)
        {
            return true;
        }

        AddOutOfRange(below: number < 0, count);
        return false;
    }

    /// <summary>Adds to a counter that only the calling thread writes.</summary>
    private void Add(ref OctaveTable octaves, int number, ulong count)
    {
        ref TCounter stored = ref CounterAt(ref octaves, number);
        if (typeof(TCounter) == typeof(ulong))
        {
            Unsafe.As<TCounter, ulong>(ref stored) += count;
            return;
        }

        ref uint counter = ref Unsafe.As<TCounter, uint>(ref stored);
        if (!CounterMath.TryAdd(ref counter, count))
        {
            AddToCarries(number, ref counter, count);
        }
    }

    private void AddInterlocked(ref OctaveTable octaves, int number, ulong count)
    {
        ref TCounter stored = ref CounterAt(ref octaves, number);
        if (typeof(TCounter) == typeof(ulong))
        {
            Interlocked.Add(ref Unsafe.As<TCounter, ulong>(ref stored), count);
            return;
        }

        // Not Interlocked.Add: the counter may not reach 2³¹, because it would wrap if two writers added large counts before its carry.
        ref uint counter = ref Unsafe.As<TCounter, uint>(ref stored);
        uint before, after;
        do
        {
            before = after = Volatile.Read(ref counter);
            if (!CounterMath.TryAdd(ref after, count))
            {
                AddToCarries(number, ref counter, count);
                return;
            }
        }
        while (Interlocked.CompareExchange(ref counter, after, before) != before);
    }

    /// <summary>Adds a count to the carries of a 32-bit counter, and also moves the counter's own count if it is large. Any writer may call
    /// it.</summary>
    private void AddToCarries(int number, ref uint counter, ulong count)
    {
        lock (Gate)
        {
            uint own = Volatile.Read(ref counter);
            uint moved = own >= CarryUnit / 2 ? own : 0;
            if ((count | moved) != 0)
            {
                Carry.Add(_carries ??= [], number, count + moved);
                Interlocked.Add(ref counter, 0 - moved); // not an assignment: other writers may add in the meantime
            }
        }
    }
}
