using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Picollo.Metrics;

/// <summary>The storage-independent part of a <see cref="CounterBlock{TCounter}"/>, for readers.</summary>
internal abstract class CounterBlock
{
    private ulong _underflow;
    private ulong _overflow;

    /// <summary>The lock that readers hold while they read the counters and the carries. A writer whose counter reaches 2³¹ also takes
    /// it.</summary>
    public object Gate { get; } = new();

    /// <summary>The counts of values outside the range.</summary>
    public (ulong Underflow, ulong Overflow) OutOfRange
    {
        get
        {
            (ulong underflow, ulong overflow) = CountersOutOfRange();
            return (Volatile.Read(ref _underflow) + underflow, Volatile.Read(ref _overflow) + overflow);
        }
    }

    /// <summary>The bytes of the counters and their carries.</summary>
    public abstract long FootprintInBytes { get; }

    /// <summary>Adds to the out-of-range counts. Any thread may call it.</summary>
    public void AddOutOfRange(bool below, ulong count) => Interlocked.Add(ref below ? ref _underflow : ref _overflow, count);

    /// <summary>The range of counters outside which all counts of the block are 0.</summary>
    public abstract Range Used { get; }

    /// <summary>Adds the counters in a range to <paramref name="sums"/>. The caller holds <see cref="Gate"/> until
    /// <see cref="AddCarriesTo"/> has added the remaining counts.</summary>
    public abstract void AddCountersTo(Span<ulong> sums, Range range);

    /// <summary>Works like <see cref="AddCountersTo"/>, but overwrites <paramref name="sums"/>, which saves a pass that clears
    /// it.</summary>
    public abstract void CopyCountersTo(Span<ulong> sums, Range range);

    /// <summary>Adds the counts in a range that are stored outside the counters. Called with <see cref="Gate"/> held.</summary>
    public abstract void AddCarriesTo(Span<ulong> sums, Range range);

    /// <summary>Writes the differences from the previous counts to <paramref name="deltas"/> and the current counts to
    /// <paramref name="last"/>. Returns <see langword="false"/> if the counters do not contain all counts.</summary>
    public abstract bool TryReadDeltas(Span<ulong> last, Span<ulong> deltas);

    /// <summary>Adds the block's counts in range to a histogram of the same layout and range. Counts that do not fit in its counters are
    /// added to <paramref name="rest"/>. Returns <see langword="false"/>, with nothing added, if the histogram's counters have several
    /// writers.</summary>
    public abstract bool TryAddTo(HdrHistogram target, ref List<(int Number, ulong Count)>? rest);

    /// <summary>Fills a summary directly from the counters. Returns <see langword="false"/> if they do not contain all counts or were
    /// changed in the meantime.</summary>
    public abstract bool TryFill(HdrHistogramSummary summary, ReadOnlyHdrHistogram owner);

    /// <summary>Returns the counts of the counters that are outside the range but in one of its octaves.</summary>
    private protected abstract (ulong Underflow, ulong Overflow) CountersOutOfRange();
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
    /// flag.</summary>
    private const uint CarryUnit = 1u << 31;

    /// <summary>The largest count that is added directly to a 32-bit counter. After a counter reaches 2³¹ and before its carry, each other
    /// thread can add once. With this limit, a counter wraps only if 32,767 such threads add to it.</summary>
    private const ulong MaxDirectCount = 1 << 16;

    private readonly CounterPages<TCounter> _pages;

    private Dictionary<int, ulong>? _carries; // by counter number; guarded by Gate; null until the first carry

    // Counts that are too large for a 32-bit counter with several writers, by counter number; null until the first one. These counts only
    // grow and never move, so neither writers nor readers need the lock: each count is either here or in the counter.
    private ulong[]? _large;

    private bool _isClosed;

    public CounterBlock(ReadOnlyHdrHistogram owner) => _pages = new CounterPages<TCounter>(owner);

    public override long FootprintInBytes
    {
        get
        {
            lock (Gate)
            {
                long octaves = OctaveTable.Length * sizeof(long);
                return octaves + _pages.FootprintInBytes + Footprint.OfArray(_large) + Footprint.OfDictionary(_carries);
            }
        }
    }

    /// <summary>Whether the block is closed to writers.</summary>
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
        MemoryMarshal.CreateSpan(ref CounterAt(ref octaves, from), _pages.View.EndOfPage(from, to) - from);

    /// <summary>Adds to the counter of a value, or to the out-of-range counts. The calling thread must be the only writer.</summary>
    public void Record(ref OctaveTable octaves, ReadOnlyHdrHistogram owner, ulong value, ulong count)
    {
        if (IsInRange(owner, value, count, out int number))
        {
            Add(ref octaves, number, count);
        }
    }

    /// <summary>Works like <see cref="Record(ref OctaveTable, ReadOnlyHdrHistogram, ulong, ulong)"/>, for counters with several
    /// writers.</summary>
    public void RecordInterlocked(ref OctaveTable octaves, ReadOnlyHdrHistogram owner, ulong value, ulong count)
    {
        if (IsInRange(owner, value, count, out int number))
        {
            AddInterlocked(ref octaves, number, count);
        }
    }

    /// <summary>Moves 2³¹ from the 32-bit counter of a value to the carries, for counters with several writers.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void CarryInterlocked(ReadOnlyHdrHistogram owner, ulong value) =>
        CarryInterlocked((int)(owner.Layout.IndexOf(value) - owner.FirstIndex));

    /// <summary>Moves 2³¹ from a 32-bit counter to the carries, for counters with several writers.</summary>
    public void CarryInterlocked(int number)
    {
        lock (Gate)
        {
            ref uint counter = ref Unsafe.As<TCounter, uint>(ref _pages.CounterAt(number, out _));
            if (Volatile.Read(ref counter) >= CarryUnit)
            {
                AddCarry(number, CarryUnit);
                Interlocked.Add(ref counter, unchecked(0u - CarryUnit));
            }
        }
    }

    public override Range Used => Volatile.Read(ref _large) is null ? _pages.Used : .._pages.Length;

    public override void AddCountersTo(Span<ulong> sums, Range range) => _pages.View.AddTo(sums, range);

    public override void CopyCountersTo(Span<ulong> sums, Range range) => _pages.View.CopyTo(sums, range);

    public override void AddCarriesTo(Span<ulong> sums, Range range)
    {
        if (Volatile.Read(ref _large) is { } large)
        {
            CounterMath.Add<ulong>(large.AsSpan(range), sums[range]);
        }

        if (_carries is { } carries)
        {
            foreach ((int number, ulong carried) in carries)
            {
                if (number >= range.Start.Value && number < range.End.Value)
                {
                    sums[number] += carried;
                }
            }
        }
    }

    public override bool TryReadDeltas(Span<ulong> last, Span<ulong> deltas)
    {
        lock (Gate)
        {
            if (_carries is not null || Volatile.Read(ref _large) is not null)
            {
                return false;
            }

            _pages.View.ReadDeltas(last, deltas);
            return true;
        }
    }

    public override bool TryFill(HdrHistogramSummary summary, ReadOnlyHdrHistogram owner)
    {
        lock (Gate)
        {
            (ulong underflow, ulong overflow) = OutOfRange;
            return _carries is null && Volatile.Read(ref _large) is null && summary.TryFill(owner, _pages.View, underflow + overflow);
        }
    }

    private protected override (ulong Underflow, ulong Overflow) CountersOutOfRange()
    {
        lock (Gate)
        {
            (ulong underflow, ulong overflow) = _pages.SumOutOfRange();
            if (_carries is { } carries)
            {
                foreach ((int number, ulong carried) in carries)
                {
                    underflow += number < 0 ? carried : 0;
                    overflow += number >= _pages.Length ? carried : 0;
                }
            }

            return (underflow, overflow);
        }
    }

    /// <summary>Gets the counter number of a value, or adds the value to the out-of-range counts.</summary>
    private bool IsInRange(ReadOnlyHdrHistogram owner, ulong value, ulong count, out int number)
    {
        number = (int)(owner.Layout.IndexOf(value) - owner.FirstIndex);
        if ((uint)number < (uint)owner.Length)
        {
            return true;
        }

        AddOutOfRange(value < owner.MinTrackableValue, count);
        return false;
    }

    /// <summary>Adds to a counter that only the calling thread writes.</summary>
    private void Add(ref OctaveTable octaves, int number, ulong count)
    {
        ref TCounter at = ref CounterAt(ref octaves, number);
        if (typeof(TCounter) == typeof(ulong))
        {
            Unsafe.As<TCounter, ulong>(ref at) += count;
            return;
        }

        ref uint counter = ref Unsafe.As<TCounter, uint>(ref at);
        if (CounterMath.TryAdd(ref counter, count))
        {
            return;
        }

        lock (Gate)
        {
            AddCarry(number, count);
            if (counter >= CarryUnit / 2)
            {
                AddCarry(number, counter);
                counter = 0;
            }
        }
    }

    private void AddInterlocked(ref OctaveTable octaves, int number, ulong count)
    {
        if (typeof(TCounter) == typeof(ulong))
        {
            Interlocked.Add(ref Unsafe.As<TCounter, ulong>(ref CounterAt(ref octaves, number)), count);
            return;
        }

        if (count <= MaxDirectCount)
        {
            ref uint counter = ref Unsafe.As<TCounter, uint>(ref CounterAt(ref octaves, number));
            if (Interlocked.Add(ref counter, (uint)count) >= CarryUnit)
            {
                CarryInterlocked(number);
            }

            return;
        }

        ulong[] large = Volatile.Read(ref _large)
            ?? Interlocked.CompareExchange(ref _large, new ulong[_pages.Length], null)
            ?? _large!;
        Interlocked.Add(ref large[number], count);
    }

    private void AddCarry(int number, ulong count)
    {
        _carries ??= [];
        CollectionsMarshal.GetValueRefOrAddDefault(_carries, number, out _) += count;
    }
}
