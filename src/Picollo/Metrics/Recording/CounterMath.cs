using System.Numerics;
using System.Runtime.InteropServices;

namespace Picollo.Metrics;

/// <summary>Passes over arrays of counters.</summary>
internal static class CounterMath
{
    /// <summary>Adds each counter to the sum at the same place.</summary>
    public static void Add<TCounter>(ReadOnlySpan<TCounter> counters, Span<ulong> sums)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        sums = sums[..counters.Length];
        if (typeof(TCounter) == typeof(uint))
        {
            Add(MemoryMarshal.Cast<TCounter, uint>(counters), sums);
        }
        else
        {
            Add(MemoryMarshal.Cast<TCounter, ulong>(counters), sums);
        }
    }

    /// <summary>Copies each counter and returns their sum; wraps at 2⁶⁴.</summary>
    public static ulong CopyAndSum<TCounter>(ReadOnlySpan<TCounter> counters, Span<ulong> copy)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        copy = copy[..counters.Length];
        int i = 0;
        Vector<ulong> sums = default;
        if (typeof(TCounter) == typeof(uint))
        {
            ReadOnlySpan<uint> narrow = MemoryMarshal.Cast<TCounter, uint>(counters);
            for (; i <= narrow.Length - Vector<uint>.Count; i += Vector<uint>.Count)
            {
                Vector.Widen(new Vector<uint>(narrow[i..]), out Vector<ulong> low, out Vector<ulong> high);
                low.CopyTo(copy[i..]);
                high.CopyTo(copy[(i + Vector<ulong>.Count)..]);
                sums += low + high;
            }
        }
        else
        {
            ReadOnlySpan<ulong> wide = MemoryMarshal.Cast<TCounter, ulong>(counters);
            for (; i <= wide.Length - Vector<ulong>.Count; i += Vector<ulong>.Count)
            {
                Vector<ulong> v = new(wide[i..]);
                v.CopyTo(copy[i..]);
                sums += v;
            }
        }

        ulong sum = Vector.Sum(sums);
        for (; i < counters.Length; i++)
        {
            copy[i] = ulong.CreateTruncating(counters[i]);
            sum += copy[i];
        }

        return sum;
    }

    /// <summary>The sum of all counters of either storage; wraps at 2⁶⁴.</summary>
    public static ulong Sum<TCounter>(ReadOnlySpan<TCounter> counters)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        ulong sum = 0;
        foreach (TCounter counter in counters)
        {
            sum += ulong.CreateTruncating(counter);
        }

        return sum;
    }

    /// <summary>The sum of all counters; wraps at 2⁶⁴.</summary>
    public static ulong Sum(ReadOnlySpan<ulong> counters)
    {
        int i = 0;
        Vector<ulong> sums = default;
        for (; i <= counters.Length - Vector<ulong>.Count; i += Vector<ulong>.Count)
        {
            sums += new Vector<ulong>(counters[i..]);
        }

        ulong sum = Vector.Sum(sums);
        for (; i < counters.Length; i++)
        {
            sum += counters[i];
        }

        return sum;
    }

    /// <summary>Takes from each sum the one at the same place in <paramref name="baseline"/>, to no less than 0.</summary>
    public static void Subtract(ReadOnlySpan<ulong> baseline, Span<ulong> sums)
    {
        sums = sums[..baseline.Length];
        int i = 0;
        for (; i <= sums.Length - Vector<ulong>.Count; i += Vector<ulong>.Count)
        {
            Span<ulong> at = sums[i..];
            SaturatingSubtract(new Vector<ulong>(at), new Vector<ulong>(baseline[i..])).CopyTo(at);
        }

        for (; i < sums.Length; i++)
        {
            sums[i] -= Math.Min(baseline[i], sums[i]);
        }
    }

    /// <summary>Turns counts into what was added since the previous ones, and the previous ones into the counts.</summary>
    public static void ToDeltas(Span<ulong> counts, Span<ulong> previous)
    {
        previous = previous[..counts.Length];
        int i = 0;
        for (; i <= counts.Length - Vector<ulong>.Count; i += Vector<ulong>.Count)
        {
            Vector<ulong> count = new(counts[i..]);
            SaturatingSubtract(count, new Vector<ulong>(previous[i..])).CopyTo(counts[i..]);
            count.CopyTo(previous[i..]);
        }

        for (; i < counts.Length; i++)
        {
            ulong count = counts[i];
            counts[i] = count - Math.Min(previous[i], count);
            previous[i] = count;
        }
    }

    // Counters only grow, but where several writers meet in a plain histogram one can put back an old count, below what a
    // reset or a snapshot has seen: lost records are 0 then, not 2⁶⁴ of them.
    private static Vector<ulong> SaturatingSubtract(Vector<ulong> counts, Vector<ulong> before) =>
        counts - Vector.Min(before, counts);

    private static void Add(ReadOnlySpan<uint> counters, Span<ulong> sums)
    {
        int i = 0;
        for (; i <= counters.Length - Vector<uint>.Count; i += Vector<uint>.Count)
        {
            Vector.Widen(new Vector<uint>(counters[i..]), out Vector<ulong> low, out Vector<ulong> high);
            Span<ulong> at = sums[i..];
            (new Vector<ulong>(at) + low).CopyTo(at);
            at = at[Vector<ulong>.Count..];
            (new Vector<ulong>(at) + high).CopyTo(at);
        }

        for (; i < counters.Length; i++)
        {
            sums[i] += counters[i];
        }
    }

    private static void Add(ReadOnlySpan<ulong> counters, Span<ulong> sums)
    {
        int i = 0;
        for (; i <= counters.Length - Vector<ulong>.Count; i += Vector<ulong>.Count)
        {
            Span<ulong> at = sums[i..];
            (new Vector<ulong>(at) + new Vector<ulong>(counters[i..])).CopyTo(at);
        }

        for (; i < counters.Length; i++)
        {
            sums[i] += counters[i];
        }
    }
}
