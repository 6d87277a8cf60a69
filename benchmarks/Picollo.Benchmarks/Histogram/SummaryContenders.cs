using System.Numerics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Picollo.Benchmarks.Histogram;

/// <summary>
/// The lower bound for a summary: one pass over the same counters that adds them to a 64-bit sum, sixteen at a time if
/// the processor supports it.
/// </summary>
internal static class VectorPasses
{
    // Treats pairs of counters as one 64-bit lane, and extracts the low half with a mask and the high half with a shift. This is cheaper than
    // widening, which splits lanes.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong Sum512(ReadOnlySpan<uint> counts)
    {
        ref uint first = ref MemoryMarshal.GetReference(counts);
        Vector512<ulong> lowHalf = Vector512.Create((ulong)uint.MaxValue);
        Vector512<ulong> low = default;
        Vector512<ulong> high = default;
        nuint i = 0;
        for (; i + (nuint)Vector512<uint>.Count <= (nuint)counts.Length; i += (nuint)Vector512<uint>.Count)
        {
            Vector512<ulong> pairs = Vector512.LoadUnsafe(ref first, i).AsUInt64();
            low += pairs & lowHalf;
            high += pairs >>> 32;
        }

        return Vector512.Sum(low + high) + SumRest(counts[(int)i..]);
    }

    /// <summary>The pass in portable code, with <see cref="Vector{T}"/> widened to 64 bits.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong SumPortable(ReadOnlySpan<uint> counts)
    {
        Vector<ulong> low = default;
        Vector<ulong> high = default;
        int i = 0;
        for (; i <= counts.Length - Vector<uint>.Count; i += Vector<uint>.Count)
        {
            Vector.Widen(new Vector<uint>(counts[i..]), out Vector<ulong> lowHalf, out Vector<ulong> highHalf);
            low += lowHalf;
            high += highHalf;
        }

        return Vector.Sum(low + high) + SumRest(counts[i..]);
    }

    /// <summary>Adds one array to another.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Add(ReadOnlySpan<uint> counts, Span<uint> sums)
    {
        ref uint count = ref MemoryMarshal.GetReference(counts);
        ref uint sum = ref MemoryMarshal.GetReference(sums);
        for (nuint i = 0; i + (nuint)Vector512<uint>.Count <= (nuint)sums.Length; i += (nuint)Vector512<uint>.Count)
        {
            (Vector512.LoadUnsafe(ref sum, i) + Vector512.LoadUnsafe(ref count, i)).StoreUnsafe(ref sum, i);
        }
    }

    /// <summary>Adds an array to an array of 64-bit sums.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Add(ReadOnlySpan<uint> counts, Span<ulong> sums)
    {
        ref uint count = ref MemoryMarshal.GetReference(counts);
        ref ulong sum = ref MemoryMarshal.GetReference(sums);
        for (nuint i = 0; i + (nuint)Vector512<uint>.Count <= (nuint)sums.Length; i += (nuint)Vector512<uint>.Count)
        {
            (Vector512<ulong> low, Vector512<ulong> high) = Vector512.Widen(Vector512.LoadUnsafe(ref count, i));
            (Vector512.LoadUnsafe(ref sum, i) + low).StoreUnsafe(ref sum, i);
            (Vector512.LoadUnsafe(ref sum, i + 8) + high).StoreUnsafe(ref sum, i + 8);
        }
    }

    /// <summary>Copies an array to an array of 64-bit counts.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Copy(ReadOnlySpan<uint> counters, Span<ulong> copy)
    {
        ref uint counter = ref MemoryMarshal.GetReference(counters);
        ref ulong to = ref MemoryMarshal.GetReference(copy);
        for (nuint i = 0; i + (nuint)Vector512<uint>.Count <= (nuint)copy.Length; i += (nuint)Vector512<uint>.Count)
        {
            (Vector512<ulong> low, Vector512<ulong> high) = Vector512.Widen(Vector512.LoadUnsafe(ref counter, i));
            low.StoreUnsafe(ref to, i);
            high.StoreUnsafe(ref to, i + 8);
        }
    }

    /// <summary>Writes the differences of the counters since the last pass, and stores the counters for the next pass.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Deltas(ReadOnlySpan<uint> counters, Span<ulong> last, Span<ulong> deltas)
    {
        ref uint counter = ref MemoryMarshal.GetReference(counters);
        ref ulong before = ref MemoryMarshal.GetReference(last);
        ref ulong delta = ref MemoryMarshal.GetReference(deltas);
        for (nuint i = 0; i + (nuint)Vector512<uint>.Count <= (nuint)deltas.Length; i += (nuint)Vector512<uint>.Count)
        {
            (Vector512<ulong> low, Vector512<ulong> high) = Vector512.Widen(Vector512.LoadUnsafe(ref counter, i));
            (low - Vector512.LoadUnsafe(ref before, i)).StoreUnsafe(ref delta, i);
            (high - Vector512.LoadUnsafe(ref before, i + 8)).StoreUnsafe(ref delta, i + 8);
            low.StoreUnsafe(ref before, i);
            high.StoreUnsafe(ref before, i + 8);
        }
    }

    private static ulong SumRest(ReadOnlySpan<uint> counts)
    {
        ulong sum = 0;
        foreach (uint count in counts)
        {
            sum += count;
        }

        return sum;
    }
}

/// <summary>Creates a histogram with a range of one hour in nanoseconds and an error of 0.1 %, which contains the wide values.</summary>
internal static class SummaryWorkload
{
    public const ulong OneHour = 3_600_000_000_000;

    /// <summary>The number of operations in a run. Each takes a few microseconds.</summary>
    public const int OperationsPerRun = 50;

    /// <summary>Creates a contender that passes over the counters of such a histogram.</summary>
    public static Repeated Pass(string name, Func<ReadOnlySpan<uint>, ulong> sum)
    {
        uint[] counts = [.. Create().Buckets.Select(bucket => (uint)bucket.Count)];
        ulong total = 0;
        return new(name, OperationsPerRun, () => total = sum(counts), Verify);

        void Verify()
        {
            if (total != ValueSet.Count)
            {
                throw new InvalidOperationException($"{name}: {total}");
            }
        }
    }

    /// <summary>Creates a contender for summaries into a reused object: sixteen percentiles, mean and standard deviation.</summary>
    public static Repeated Summaries()
    {
        PlainHdrHistogram<uint> histogram = Create();
        HdrHistogramSummary summary = new();
        return new("GetSummary(reuse)", OperationsPerRun, () => histogram.GetSummary(summary), Verify);

        void Verify()
        {
            ulong[] sorted = [.. ValueSet.Wide.Values.Order()];
            double median = sorted[(sorted.Length / 2) - 1];
            if (summary.TotalCount != ValueSet.Count || Math.Abs(summary.P50.Value - median) > median * 0.001)
            {
                throw new InvalidOperationException($"GetSummary(reuse): {summary}");
            }
        }
    }

    public static PlainHdrHistogram<uint> Create()
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Factory.WithRelativeError(0.001).WithMaxTrackableValue(OneHour).Create();
        foreach (ulong value in ValueSet.Wide.Values)
        {
            histogram.Record(value);
        }

        return histogram;
    }
}
