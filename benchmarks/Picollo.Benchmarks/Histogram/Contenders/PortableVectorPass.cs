using System.Numerics;
using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.Histogram.Contenders;

/// <summary>The pass as portable code has it: <see cref="Vector{T}"/>, widened to 64 bits.</summary>
internal sealed class PortableVectorPass() : Contender("the same pass by Vector<T>", SummaryWorkload.OperationsPerRun)
{
    private readonly uint[] _counts = [.. SummaryWorkload.Create().Buckets.Select(bucket => (uint)bucket.Count)];
    private ulong _sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            _sum = Sum(_counts);
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

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Sum(ReadOnlySpan<uint> counts)
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

        ulong sum = Vector.Sum(low + high);
        for (; i < counts.Length; i++)
        {
            sum += counts[i];
        }

        return sum;
    }
}
