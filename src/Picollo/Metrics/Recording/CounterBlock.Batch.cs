using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Picollo.Metrics;

/// <content>Batches.</content>
internal sealed partial class CounterBlock<TCounter>
{
    /// <summary>Counts each of the values; for counters that only the calling thread writes.</summary>
    public void Record(ReadOnlyHdrHistogram owner, ReadOnlySpan<ulong> values)
    {
        if (Avx512CD.IsSupported)
        {
            int whole = values.Length & -Vector512<ulong>.Count;
            RecordEights(owner, values[..whole]);
            values = values[whole..];
        }

        RecordEach(owner, values);
    }

    private void RecordEach(ReadOnlyHdrHistogram owner, ReadOnlySpan<ulong> values)
    {
        // Copies, so that the JIT can keep them in registers over the stores to the counters.
        HdrLayout layout = owner.Layout;
        uint firstIndex = owner.FirstIndex;
        TCounter[] counts = Counts;
        foreach (ulong value in values)
        {
            uint index = layout.IndexOf(value) - firstIndex;
            if (index < (uint)counts.Length)
            {
                if (typeof(TCounter) == typeof(ulong))
                {
                    Unsafe.As<TCounter, ulong>(ref counts[index])++;
                    continue;
                }

                ref uint counter = ref Unsafe.As<TCounter, uint>(ref counts[index]);
                uint next = counter + 1;
                if ((int)next >= 0)
                {
                    counter = next;
                    continue;
                }
            }

            Record(owner, value, 1);
        }
    }

    /// <summary>Eight indexes at a time; the increments go one by one, since values may fall into the same bucket.</summary>
    private void RecordEights(ReadOnlyHdrHistogram owner, ReadOnlySpan<ulong> values)
    {
        HdrLayout layout = owner.Layout;
        Vector512<ulong> firstIndex = Vector512.Create((ulong)owner.FirstIndex);
        Vector512<ulong> length = Vector512.Create((ulong)Counts.Length);
        ref TCounter counters = ref MemoryMarshal.GetArrayDataReference(Counts);
        for (int i = 0; i < values.Length; i += Vector512<ulong>.Count)
        {
            ReadOnlySpan<ulong> eight = values.Slice(i, Vector512<ulong>.Count);
            Vector512<ulong> indexes = layout.IndexOf(Vector512.Create(eight)) - firstIndex;
            if (!Vector512.LessThanAll(indexes, length))
            {
                RecordEach(owner, eight);
                continue;
            }

            // In range, so 32 bits hold each index; narrow ones come back from the vector faster.
            Vector256<uint> narrow = Avx512F.ConvertToVector256UInt32(indexes);
            uint seen = Increment(ref counters, narrow.GetLower());
            seen |= Increment(ref counters, narrow.GetUpper());
            if ((int)seen < 0)
            {
                CarryFull(narrow);
            }
        }
    }

    /// <summary>Increments four counters and returns all bits that their 32-bit counts have.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Increment(ref TCounter counters, Vector128<uint> indexes)
    {
        uint seen = 0;
        for (int i = 0; i < Vector128<uint>.Count; i++)
        {
            ref TCounter counter = ref Unsafe.Add(ref counters, indexes[i]);
            counter++;
            if (typeof(TCounter) == typeof(uint))
            {
                seen |= uint.CreateTruncating(counter);
            }
        }

        return seen;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CarryFull(Vector256<uint> indexes)
    {
        for (int i = 0; i < Vector256<uint>.Count; i++)
        {
            CarryInterlocked(indexes[i]);
        }
    }
}
