using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Picollo.Metrics;

/// <content>Batches.</content>
internal sealed partial class CounterBlock<TCounter>
{
    /// <summary>Counts each of the values; for counters that only the calling thread writes.</summary>
    public void Record(ref OctaveTable octaves, ReadOnlyHdrHistogram owner, ReadOnlySpan<ulong> values)
    {
        if (Avx512CD.IsSupported)
        {
            int whole = values.Length & -Vector512<ulong>.Count;
            RecordEights(ref octaves, owner, values[..whole]);
            values = values[whole..];
        }

        RecordEach(ref octaves, owner, values);
        GC.KeepAlive(owner);
    }

    private unsafe void RecordEach(ref OctaveTable octaves, ReadOnlyHdrHistogram owner, ReadOnlySpan<ulong> values)
    {
        HdrLayout layout = owner.Layout; // a copy, so that the JIT can keep it in registers over the stores to the counters
        foreach (ulong value in values)
        {
            int leadingZeros = layout.LeadingZerosOf(value);
            TCounter* octave = (TCounter*)OctaveTable.At(ref octaves, leadingZeros);
            if (octave != null)
            {
                TCounter* counter = octave + layout.PlaceOf(value, leadingZeros);
                if (typeof(TCounter) == typeof(ulong))
                {
                    (*(ulong*)counter)++;
                    continue;
                }

                uint next = *(uint*)counter + 1;
                if ((int)next >= 0)
                {
                    *(uint*)counter = next;
                    continue;
                }
            }

            Record(ref octaves, owner, value, 1);
        }
    }

    /// <summary>Eight addresses at a time; the increments go one by one, since values may fall into the same bucket.</summary>
    private unsafe void RecordEights(ref OctaveTable octaves, ReadOnlyHdrHistogram owner, ReadOnlySpan<ulong> values)
    {
        HdrLayout layout = owner.Layout;
        fixed (OctaveTable* table = &octaves)
        {
            for (int i = 0; i < values.Length; i += Vector512<ulong>.Count)
            {
                ReadOnlySpan<ulong> eight = values.Slice(i, Vector512<ulong>.Count);
                Vector512<ulong> leadingZeros = layout.LeadingZerosOf(Vector512.Create(eight), out Vector512<ulong> places);
                Vector512<ulong> starts = Vector512.Create(
                    Avx2.GatherVector256((ulong*)table, leadingZeros.GetLower().AsInt64(), sizeof(ulong)),
                    Avx2.GatherVector256((ulong*)table, leadingZeros.GetUpper().AsInt64(), sizeof(ulong)));
                if (Vector512.EqualsAny(starts, Vector512<ulong>.Zero))
                {
                    RecordEach(ref octaves, owner, eight);
                    continue;
                }

                Vector512<ulong> addresses = starts + (places * (ulong)sizeof(TCounter));
                uint seen = Increment(addresses.GetLower());
                seen |= Increment(addresses.GetUpper());
                if ((int)seen < 0)
                {
                    CarryFull(owner, eight);
                }
            }
        }
    }

    /// <summary>Increments four counters and returns all bits that their 32-bit counts have.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static unsafe uint Increment(Vector256<ulong> addresses)
    {
        uint seen = 0;
        for (int i = 0; i < Vector256<ulong>.Count; i++)
        {
            TCounter* counter = (TCounter*)addresses[i];
            TCounter next = ++*counter;
            if (typeof(TCounter) == typeof(uint))
            {
                seen |= uint.CreateTruncating(next);
            }
        }

        return seen;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CarryFull(ReadOnlyHdrHistogram owner, ReadOnlySpan<ulong> values)
    {
        foreach (ulong value in values)
        {
            CarryInterlocked(owner, value);
        }
    }
}
