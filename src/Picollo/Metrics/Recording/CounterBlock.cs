using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Picollo.Metrics;

/// <summary>A <see cref="CounterBlock{TCounter}"/> of either storage, as readers see it.</summary>
internal abstract class CounterBlock
{
    private ulong _underflow;
    private ulong _overflow;

    public (ulong Underflow, ulong Overflow) OutOfRange => (Volatile.Read(ref _underflow), Volatile.Read(ref _overflow));

    /// <summary>Bytes of the counters and their carries.</summary>
    public abstract long FootprintInBytes { get; }

    /// <summary>Counts values outside the range, from any thread.</summary>
    public void AddOutOfRange(bool below, ulong count) => Interlocked.Add(ref below ? ref _underflow : ref _overflow, count);

    /// <summary>Adds the block's counts to <paramref name="sums"/>. A writer whose counter passes 2³¹ meanwhile waits.</summary>
    public abstract void AddTo(Span<ulong> sums);

    /// <summary>As <see cref="AddTo"/>, over what <paramref name="sums"/> held: a pass less than clearing it first.</summary>
    public abstract void CopyTo(Span<ulong> sums);

    /// <summary>Fills a summary from the counters in place; <see langword="false"/> where they alone are not the whole
    /// truth, or were written meanwhile.</summary>
    public abstract bool TryFill(HdrHistogramSummary summary, ReadOnlyHdrHistogram owner);
}

/// <summary>One array of counters with everything that does not fit in it: the carries of 32-bit counters and the values outside the range.
/// The histograms write <see cref="Counts"/> themselves; whatever is rare comes here.</summary>
/// <remarks>
/// <para>Counters only grow (a reset is a baseline that readers subtract), so a reader that copies them while they are written sees each
/// record that happened before the copy began.</para>
/// <para>A 32-bit counter is never let past 2³¹ for long: who sees the top bit moves the count into the carries, under the lock that
/// readers hold while they copy, so a reader sees a count on one side or the other, never on both or neither.</para>
/// </remarks>
internal sealed partial class CounterBlock<TCounter>(int length) : CounterBlock
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    /// <summary>Where a 32-bit counter hands its count to the carries: the sign bit, which costs one flag to test.</summary>
    private const uint CarryUnit = 1u << 31;

    /// <summary>The largest count that is added to a 32-bit counter directly. Between a counter passing 2³¹ and its carry, others can add
    /// once each; with this bound it takes 32,767 such threads at one counter to wrap it.</summary>
    private const ulong MaxDirectCount = 1 << 16;

    private Dictionary<int, ulong>? _carries; // guarded by Gate; null until the first carry

    // Counts too large for a 32-bit counter that several threads write; null until the first. Counts are only added to it, so that neither
    // writers nor readers need the lock: each count is in here or in the counter, never in both.
    private ulong[]? _large;

    public readonly TCounter[] Counts = new TCounter[length];

    public override long FootprintInBytes
    {
        get
        {
            lock (Gate)
            {
                return Footprint.OfArray(Counts) + Footprint.OfArray(_large) + Footprint.OfDictionary(_carries);
            }
        }
    }

    // The array never leaves the histogram and lives as long as the block: a lock object that costs nothing.
    private object Gate => Counts;

    /// <summary>Adds to a counter that only the calling thread writes.</summary>
    public void Add(uint index, ulong count)
    {
        if (typeof(TCounter) == typeof(ulong))
        {
            Unsafe.As<TCounter, ulong>(ref Counts[index]) += count;
            return;
        }

        ref uint counter = ref Unsafe.As<TCounter, uint>(ref Counts[index]);
        ulong sum = counter + count;
        if (sum < CarryUnit && sum >= count)
        {
            counter = (uint)sum;
            return;
        }

        lock (Gate)
        {
            AddCarry(index, count);
            if (counter >= CarryUnit / 2)
            {
                AddCarry(index, counter);
                counter = 0;
            }
        }
    }

    /// <summary>Adds to a counter that several threads write.</summary>
    public void AddInterlocked(uint index, ulong count)
    {
        if (typeof(TCounter) == typeof(ulong))
        {
            Interlocked.Add(ref Unsafe.As<TCounter, ulong>(ref Counts[index]), count);
            return;
        }

        if (count <= MaxDirectCount)
        {
            ref uint counter = ref Unsafe.As<TCounter, uint>(ref Counts[index]);
            if (Interlocked.Add(ref counter, (uint)count) >= CarryUnit)
            {
                CarryInterlocked(index);
            }

            return;
        }

        ulong[] large = Volatile.Read(ref _large)
            ?? Interlocked.CompareExchange(ref _large, new ulong[Counts.Length], null)
            ?? _large!;
        Interlocked.Add(ref large[index], count);
    }

    /// <summary>Moves 2³¹ from a 32-bit counter that several threads write into the carries.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void CarryInterlocked(uint index)
    {
        lock (Gate)
        {
            ref uint counter = ref Unsafe.As<TCounter, uint>(ref Counts[index]);
            if (Volatile.Read(ref counter) >= CarryUnit)
            {
                AddCarry(index, CarryUnit);
                Interlocked.Add(ref counter, unchecked(0u - CarryUnit));
            }
        }
    }

    /// <summary>Adds to the counter of a value, or counts it out of range; for counters that only the calling thread
    /// writes.</summary>
    public void Record(ReadOnlyHdrHistogram owner, ulong value, ulong count)
    {
        uint index = owner.Layout.IndexOf(value) - owner.FirstIndex;
        if (index < (uint)Counts.Length)
        {
            Add(index, count);
        }
        else
        {
            AddOutOfRange(value < owner.MinTrackableValue, count);
        }
    }

    public override void AddTo(Span<ulong> sums)
    {
        lock (Gate)
        {
            CounterMath.Add(Counts, sums);
            AddCarriesTo(sums);
        }
    }

    public override void CopyTo(Span<ulong> sums)
    {
        lock (Gate)
        {
            CounterMath.CopyAndSum(Counts, sums);
            AddCarriesTo(sums);
        }
    }

    public override bool TryFill(HdrHistogramSummary summary, ReadOnlyHdrHistogram owner)
    {
        lock (Gate)
        {
            (ulong underflow, ulong overflow) = OutOfRange;
            return _carries is null && Volatile.Read(ref _large) is null && summary.TryFill<TCounter>(owner, Counts, underflow + overflow);
        }
    }

    private void AddCarriesTo(Span<ulong> sums)
    {
        if (Volatile.Read(ref _large) is { } large)
        {
            CounterMath.Add<ulong>(large, sums);
        }

        if (_carries is { } carries)
        {
            foreach ((int index, ulong carried) in carries)
            {
                sums[index] += carried;
            }
        }
    }

    private void AddCarry(uint index, ulong count)
    {
        _carries ??= [];
        CollectionsMarshal.GetValueRefOrAddDefault(_carries, (int)index, out _) += count;
    }
}

/// <summary>The bytes that arrays take on a 64-bit runtime; what makes a histogram large.</summary>
internal static class Footprint
{
    private const int ArrayHeader = 24; // sync block, method table and length

    /// <summary>An array, or 0 where there is none.</summary>
    public static long OfArray<T>(T[]? array) => array is null ? 0 : ArrayHeader + ((long)array.Length * Unsafe.SizeOf<T>());

    /// <summary>The two arrays of a dictionary, or 0 where there is none.</summary>
    public static long OfDictionary(Dictionary<int, ulong>? dictionary)
    {
        const int BucketBytes = sizeof(int);
        const int EntryBytes = 24; // hash, next, key, value
        return dictionary is null ? 0 : (2 * ArrayHeader) + ((long)dictionary.Capacity * (BucketBytes + EntryBytes));
    }
}
