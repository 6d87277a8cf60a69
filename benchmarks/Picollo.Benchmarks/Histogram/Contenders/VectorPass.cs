using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>
/// What no summary can be faster than: one pass over the same counters that adds them up to 64 bits, sixteen at a time where
/// the processor can.
/// </summary>
internal sealed class VectorPass() : Contender("one vectorised pass over the counters", SummaryWorkload.OperationsPerRun)
{
    private readonly uint[] _counts = [.. SummaryWorkload.Create().Buckets.Select(bucket => (uint)bucket.Count)];
    private ulong _sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            _sum = Vector512.IsHardwareAccelerated ? Sum512(_counts) : Sum256(_counts);
        }
    }

    public override void Verify()
    {
        Run(1);
        if (_sum != ValueSet.Count)
        {
            throw new InvalidOperationException($"{Name}: {_sum}");
        }
    }

    // Pairs of counters as one 64-bit lane: the low half by a mask, the high half by a shift. Cheaper than widening, which
    // takes lanes apart.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Sum512(ReadOnlySpan<uint> counts)
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

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Sum256(ReadOnlySpan<uint> counts)
    {
        ref uint first = ref MemoryMarshal.GetReference(counts);
        Vector256<ulong> lowHalf = Vector256.Create((ulong)uint.MaxValue);
        Vector256<ulong> low = default;
        Vector256<ulong> high = default;
        nuint i = 0;
        for (; i + (nuint)Vector256<uint>.Count <= (nuint)counts.Length; i += (nuint)Vector256<uint>.Count)
        {
            Vector256<ulong> pairs = Vector256.LoadUnsafe(ref first, i).AsUInt64();
            low += pairs & lowHalf;
            high += pairs >>> 32;
        }

        return Vector256.Sum(low + high) + SumRest(counts[(int)i..]);
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
