using System.Runtime.Intrinsics;

namespace Picollo.Metrics;

/// <summary>Vectorized operations on arrays of counters: sixteen 32-bit or eight 64-bit counters at a time.</summary>
/// <remarks>These methods are not inlined: in a large caller, the JIT keeps the loop counter in memory (6.3 µs instead of 4.4 for the
/// addition of 56,320 counters, November 2026).</remarks>
internal static class CounterMath
{
    /// <summary>Adds each counter to the sum with the same index.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Add<TCounter>(ReadOnlySpan<TCounter> counters, Span<ulong> sums)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        sums = sums[..counters.Length];
        ref TCounter counter = ref MemoryMarshal.GetReference(counters);
        ref ulong target = ref MemoryMarshal.GetReference(sums);
        nuint whole = (nuint)(counters.Length & -Vector512<TCounter>.Count);
        for (nuint i = 0; i < whole; i += (nuint)Vector512<TCounter>.Count)
        {
            if (typeof(TCounter) == typeof(uint))
            {
                nuint next = i + (nuint)Vector512<ulong>.Count;
                (Vector512<ulong> low, Vector512<ulong> high) = Vector512.Widen(Vector512.LoadUnsafe(ref counter, i).AsUInt32());
                (Vector512.LoadUnsafe(ref target, i) + low).StoreUnsafe(ref target, i);
                (Vector512.LoadUnsafe(ref target, next) + high).StoreUnsafe(ref target, next);
            }
            else
            {
                (Vector512.LoadUnsafe(ref target, i) + Vector512.LoadUnsafe(ref counter, i).AsUInt64()).StoreUnsafe(ref target, i);
            }
        }

        for (int i = (int)whole; i < sums.Length; i++)
        {
            sums[i] += ulong.CreateTruncating(counters[i]);
        }
    }

    /// <summary>Adds counts to 32-bit counters where the sum is below 2³¹. Other counters do not change; their counts are added to
    /// <paramref name="rest"/>, with counter numbers that start at <paramref name="first"/>.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void AddWhereFits<TCount>(
        ReadOnlySpan<TCount> counts, Span<uint> counters, int first, ref List<(int Number, ulong Count)>? rest)
        where TCount : unmanaged, IBinaryInteger<TCount>, IUnsignedNumber<TCount>
    {
        counters = counters[..counts.Length];
        ref TCount count = ref MemoryMarshal.GetReference(counts);
        ref uint counter = ref MemoryMarshal.GetReference(counters);
        int i = 0;
        for (; i <= counters.Length - (2 * Vector512<uint>.Count); i += 2 * Vector512<uint>.Count)
        {
            // Process two vectors per test, which costs as much as the addition. Sums of numbers below 2³¹ do not wrap.
            nuint low = (nuint)i, high = (nuint)(i + Vector512<uint>.Count);
            Vector512<uint> addedLow = Narrow(ref count, low), addedHigh = Narrow(ref count, high);
            Vector512<uint> before = Vector512.LoadUnsafe(ref counter, low), beforeHigh = Vector512.LoadUnsafe(ref counter, high);
            Vector512<uint> after = before + addedLow, afterHigh = beforeHigh + addedHigh;
            Vector512<uint> seen = before | addedLow | after | beforeHigh | addedHigh | afterHigh;
            if (seen.ExtractMostSignificantBits() == 0)
            {
                after.StoreUnsafe(ref counter, low);
                afterHigh.StoreUnsafe(ref counter, high);
            }
            else
            {
                AddEachWhereFits(i, i + (2 * Vector512<uint>.Count), counts, counters, first, ref rest);
            }
        }

        AddEachWhereFits(i, counters.Length, counts, counters, first, ref rest);
    }

    /// <summary>Copies each counter and returns their sum; wraps at 2⁶⁴.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong CopyAndSum<TCounter>(ReadOnlySpan<TCounter> counters, Span<ulong> copy)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        copy = copy[..counters.Length];
        ref TCounter counter = ref MemoryMarshal.GetReference(counters);
        ref ulong target = ref MemoryMarshal.GetReference(copy);
        nuint whole = (nuint)(counters.Length & -Vector512<TCounter>.Count);
        Vector512<ulong> sums = default;
        for (nuint i = 0; i < whole; i += (nuint)Vector512<TCounter>.Count)
        {
            if (typeof(TCounter) == typeof(uint))
            {
                (Vector512<ulong> low, Vector512<ulong> high) = Vector512.Widen(Vector512.LoadUnsafe(ref counter, i).AsUInt32());
                low.StoreUnsafe(ref target, i);
                high.StoreUnsafe(ref target, i + (nuint)Vector512<ulong>.Count);
                sums += low + high;
            }
            else
            {
                Vector512<ulong> v = Vector512.LoadUnsafe(ref counter, i).AsUInt64();
                v.StoreUnsafe(ref target, i);
                sums += v;
            }
        }

        ulong sum = Vector512.Sum(sums);
        for (int i = (int)whole; i < copy.Length; i++)
        {
            copy[i] = ulong.CreateTruncating(counters[i]);
            sum += copy[i];
        }

        return sum;
    }

    /// <summary>Returns the sum of all counters; wraps at 2⁶⁴.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong Sum<TCounter>(ReadOnlySpan<TCounter> counters)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        ref TCounter counter = ref MemoryMarshal.GetReference(counters);
        nuint whole = (nuint)(counters.Length & -Vector512<TCounter>.Count);
        Vector512<ulong> sums = default;
        for (nuint i = 0; i < whole; i += (nuint)Vector512<TCounter>.Count)
        {
            Vector512<TCounter> v = Vector512.LoadUnsafe(ref counter, i);
            if (typeof(TCounter) == typeof(uint))
            {
                // Treat a pair of counters as one 64-bit lane: mask the low half, shift the high half. This is cheaper than widening.
                sums += (v.AsUInt64() & Vector512.Create((ulong)uint.MaxValue)) + (v.AsUInt64() >>> 32);
            }
            else
            {
                sums += v.AsUInt64();
            }
        }

        ulong sum = Vector512.Sum(sums);
        for (int i = (int)whole; i < counters.Length; i++)
        {
            sum += ulong.CreateTruncating(counters[i]);
        }

        return sum;
    }

    /// <summary>Subtracts the baseline from the sums, with a minimum of 0.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Subtract(ReadOnlySpan<ulong> baseline, Span<ulong> sums)
    {
        sums = sums[..baseline.Length];
        ref ulong before = ref MemoryMarshal.GetReference(baseline);
        ref ulong target = ref MemoryMarshal.GetReference(sums);
        nuint whole = (nuint)(sums.Length & -Vector512<ulong>.Count);
        for (nuint i = 0; i < whole; i += (nuint)Vector512<ulong>.Count)
        {
            SaturatingSubtract(Vector512.LoadUnsafe(ref target, i), Vector512.LoadUnsafe(ref before, i)).StoreUnsafe(ref target, i);
        }

        for (int i = (int)whole; i < sums.Length; i++)
        {
            sums[i] -= Math.Min(baseline[i], sums[i]);
        }
    }

    /// <summary>Writes the differences from the previous counts to <paramref name="deltas"/> and the current counts to
    /// <paramref name="last"/>. <paramref name="deltas"/> may be the same memory as the counters.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void ReadDeltas<TCounter>(ReadOnlySpan<TCounter> counters, Span<ulong> last, Span<ulong> deltas)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        last = last[..counters.Length];
        deltas = deltas[..counters.Length];
        ref TCounter counter = ref MemoryMarshal.GetReference(counters);
        ref ulong before = ref MemoryMarshal.GetReference(last);
        ref ulong delta = ref MemoryMarshal.GetReference(deltas);
        nuint whole = (nuint)(counters.Length & -Vector512<TCounter>.Count);
        for (nuint i = 0; i < whole; i += (nuint)Vector512<TCounter>.Count)
        {
            if (typeof(TCounter) == typeof(uint))
            {
                nuint next = i + (nuint)Vector512<ulong>.Count;
                (Vector512<ulong> low, Vector512<ulong> high) = Vector512.Widen(Vector512.LoadUnsafe(ref counter, i).AsUInt32());
                SaturatingSubtract(low, Vector512.LoadUnsafe(ref before, i)).StoreUnsafe(ref delta, i);
                SaturatingSubtract(high, Vector512.LoadUnsafe(ref before, next)).StoreUnsafe(ref delta, next);
                low.StoreUnsafe(ref before, i);
                high.StoreUnsafe(ref before, next);
            }
            else
            {
                Vector512<ulong> count = Vector512.LoadUnsafe(ref counter, i).AsUInt64();
                SaturatingSubtract(count, Vector512.LoadUnsafe(ref before, i)).StoreUnsafe(ref delta, i);
                count.StoreUnsafe(ref before, i);
            }
        }

        for (int i = (int)whole; i < deltas.Length; i++)
        {
            ulong count = ulong.CreateTruncating(counters[i]);
            deltas[i] = count - Math.Min(last[i], count);
            last[i] = count;
        }
    }

    /// <summary>Narrows sixteen counts to 32 bits. A count above 2³¹ becomes 2³¹ or more.</summary>
    private static Vector512<uint> Narrow<TCount>(ref TCount count, nuint i)
        where TCount : unmanaged
    {
        if (typeof(TCount) == typeof(uint))
        {
            return Vector512.LoadUnsafe(ref count, i).AsUInt32();
        }

        Vector512<ulong> most = Vector512.Create(1UL << 31);
        return Vector512.Narrow(
            Vector512.Min(Vector512.LoadUnsafe(ref count, i).AsUInt64(), most),
            Vector512.Min(Vector512.LoadUnsafe(ref count, i + (nuint)Vector512<ulong>.Count).AsUInt64(), most));
    }

    /// <summary>Adds a count to a 32-bit counter if the sum is below 2³¹.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryAdd(ref uint counter, ulong count)
    {
        ulong sum = counter + count;
        if (sum > int.MaxValue || sum < count)
        {
            return false;
        }

        counter = (uint)sum;
        return true;
    }

    private static void AddEachWhereFits<TCount>(
        int from, int to, ReadOnlySpan<TCount> counts, Span<uint> counters, int first, ref List<(int Number, ulong Count)>? rest)
        where TCount : unmanaged, IBinaryInteger<TCount>, IUnsignedNumber<TCount>
    {
        for (int i = from; i < to; i++)
        {
            ulong count = ulong.CreateTruncating(counts[i]);
            if (!TryAdd(ref counters[i], count))
            {
                (rest ??= []).Add((first + i, count));
            }
        }
    }

    // Counters only grow, except that concurrent writers of a plain histogram can restore an old count, which is below the baseline of a
    // reset or a snapshot. The difference is then 0 and does not wrap.
    private static Vector512<ulong> SaturatingSubtract(Vector512<ulong> counts, Vector512<ulong> before) =>
        counts - Vector512.Min(before, counts);
}
