using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Picollo.Metrics;

/// <summary>A <see cref="CounterBlock{TCounter}"/> of either storage, as readers see it.</summary>
internal abstract class CounterBlock
{
    private ulong _underflow;
    private ulong _overflow;

    /// <summary>The lock that readers hold while they read the counters and the carries. A writer whose counter passes 2³¹ waits for
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

    /// <summary>Bytes of the counters and their carries.</summary>
    public abstract long FootprintInBytes { get; }

    /// <summary>Counts values outside the range, from any thread.</summary>
    public void AddOutOfRange(bool below, ulong count) => Interlocked.Add(ref below ? ref _underflow : ref _overflow, count);

    /// <summary>The numbers of the counters outside which all counts of the block are 0.</summary>
    public abstract Range Used { get; }

    /// <summary>Adds the counters in a range to <paramref name="sums"/>. Called with <see cref="Gate"/> held, which is kept until
    /// <see cref="AddCarriesTo"/> has added the rest of the counts.</summary>
    public abstract void AddCountersTo(Span<ulong> sums, Range range);

    /// <summary>As <see cref="AddCountersTo"/>, over what <paramref name="sums"/> held: a pass less than clearing it first.</summary>
    public abstract void CopyCountersTo(Span<ulong> sums, Range range);

    /// <summary>Adds the counts in a range that are not in the counters. Called with <see cref="Gate"/> held.</summary>
    public abstract void AddCarriesTo(Span<ulong> sums, Range range);

    /// <summary>Writes what was counted since the last counts, and the counts as the next last ones; <see langword="false"/> where the
    /// counters alone are not the whole truth.</summary>
    public abstract bool TryReadDeltas(Span<ulong> last, Span<ulong> deltas);

    /// <summary>Adds the block's counts in range to a histogram of the same layout and range; those for which it has no room in its
    /// counters go to <paramref name="rest"/>. <see langword="false"/>, and nothing is added, if the histogram's counters have several
    /// writers.</summary>
    public abstract bool TryAddTo(HdrHistogram target, ref List<(int Number, ulong Count)>? rest);

    /// <summary>Fills a summary from the counters in place; <see langword="false"/> where they alone are not the whole
    /// truth, or were written meanwhile.</summary>
    public abstract bool TryFill(HdrHistogramSummary summary, ReadOnlyHdrHistogram owner);

    /// <summary>What was counted in counters that lie in an octave of the range, but outside it.</summary>
    private protected abstract (ulong Underflow, ulong Overflow) CountersOutOfRange();
}

/// <summary>The counters of all values or of one thread, in pages that are made when a value is first counted in them, with everything that
/// does not fit in a counter: the carries of 32-bit counters and the values outside the range.</summary>
/// <remarks>
/// <para>Histograms write to the counters themselves, by the addresses in an <see cref="OctaveTable"/> that this class fills; whatever is
/// rare comes here.</para>
/// <para>Counters only grow (a reset is a baseline that readers subtract), so a reader that copies them while they are written sees each
/// record that happened before the copy began.</para>
/// <para>A 32-bit counter is never let past 2³¹ for long: who sees the top bit moves the count into the carries, under the lock that
/// readers hold while they copy, so a reader sees a count on one side or the other, never on both or neither.</para>
/// <para>An octave has all its counters even where the range begins or ends within it, so that a writer needs no comparison. Readers take
/// what is counted there for what it is, out of range.</para>
/// </remarks>
internal sealed partial class CounterBlock<TCounter> : CounterBlock
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    /// <summary>Where a 32-bit counter hands its count to the carries: the sign bit, which costs one flag to test.</summary>
    private const uint CarryUnit = 1u << 31;

    /// <summary>The largest count that is added to a 32-bit counter directly. Between a counter passing 2³¹ and its carry, others can add
    /// once each; with this bound it takes 32,767 such threads at one counter to wrap it.</summary>
    private const ulong MaxDirectCount = 1 << 16;

    private readonly CounterPages<TCounter> _pages;

    private Dictionary<int, ulong>? _carries; // by the counter's number; guarded by Gate; null until the first carry

    // Counts too large for a 32-bit counter that several threads write, by the counter's number; null until the first. Counts are only
    // added to it, so that neither writers nor readers need the lock: each count is in here or in the counter, never in both.
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

    /// <summary>Whether writers were shut out.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed);

    /// <summary>Shuts writers out: their next record finds no address. One under way is lost.</summary>
    public void Close(ref OctaveTable octaves)
    {
        Volatile.Write(ref _isClosed, true);
        Interlocked.MemoryBarrier(); // a writer that adds a page either sees this or has its addresses cleared below
        OctaveTable.Clear(ref octaves);
    }

    /// <summary>The counter of a number, made with its page if need be.</summary>
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

    /// <summary>The counters from a number to before another, as far as they lie in the same page, which is made if need be.</summary>
    public Span<TCounter> CountersFrom(ref OctaveTable octaves, int from, int to) =>
        MemoryMarshal.CreateSpan(ref CounterAt(ref octaves, from), _pages.View.EndOfPage(from, to) - from);

    /// <summary>Adds to the counter of a value, or counts it out of range; for counters that only the calling thread
    /// writes.</summary>
    public void Record(ref OctaveTable octaves, ReadOnlyHdrHistogram owner, ulong value, ulong count)
    {
        if (IsInRange(owner, value, count, out int number))
        {
            Add(ref octaves, number, count);
        }
    }

    /// <summary>As <see cref="Record(ref OctaveTable, ReadOnlyHdrHistogram, ulong, ulong)"/>, for counters that several threads
    /// write.</summary>
    public void RecordInterlocked(ref OctaveTable octaves, ReadOnlyHdrHistogram owner, ulong value, ulong count)
    {
        if (IsInRange(owner, value, count, out int number))
        {
            AddInterlocked(ref octaves, number, count);
        }
    }

    /// <summary>Moves 2³¹ from the 32-bit counter of a value, which several threads write, into the carries.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void CarryInterlocked(ReadOnlyHdrHistogram owner, ulong value) =>
        CarryInterlocked((int)(owner.Layout.IndexOf(value) - owner.FirstIndex));

    /// <summary>Moves 2³¹ from a 32-bit counter that several threads write into the carries.</summary>
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

    /// <summary>Finds the number of a value's counter, or counts the value out of range.</summary>
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
