namespace Picollo.Metrics;

/// <summary>Maps values to counters for writers. For each octave (the values with the same number of leading zeros), an entry contains the
/// address of the octave's counters and the shift that turns a value into the number of its counter. Both are packed into one word. The
/// word is 0 if the octave has no counters, either yet or because it is out of range.</summary>
/// <remarks>
/// <para>A record reads one entry, shifts the value, and adds. The test for 0 is the only branch; it replaces a comparison with a length.
/// The entry is selected by the value's leading zeros and contains the shift, so a record reads no field of the layout (November 2026: 0.84
/// ns if mask and step are read, 0.97 for a flat array with the comparison, 1.03 for a flat array with a first index).</para>
/// <para>The address is biased: it is the address of the counter for a shifted value of 0. It points into a pinned array that a
/// <see cref="CounterBlock{TCounter}"/> references, so a writer keeps its histogram alive until it has written (<see cref="GC.KeepAlive"/>,
/// which emits no instruction). Only the block writes entries.</para>
/// </remarks>
[InlineArray(Length)]
internal struct OctaveTable
{
    /// <summary>The number of entries: one for each number of leading zeros, from 0 to 64.</summary>
    public const int Length = 65;

    /// <summary>The number of bits of a shift. The processor's shift instruction reads only these bits, so an entry can be used as its own
    /// shift. Addresses have at most 57 bits.</summary>
    private const int ShiftBits = 6;

    private ulong _entry;

    /// <summary>Returns the entry for a value; 0 if there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong EntryOf(ref OctaveTable table, ulong value) =>
        Unsafe.Add(ref Unsafe.As<OctaveTable, ulong>(ref table), (nuint)(uint)BitOperations.LeadingZeroCount(value));

    /// <summary>Returns the counter of a value, given the entry of the value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe TCounter* CounterOf<TCounter>(ulong entry, ulong value)
        where TCounter : unmanaged => (TCounter*)(entry >> ShiftBits) + (value >> (int)entry);

    /// <summary>Sets an entry atomically: a writer sees either the previous entry or the new one.</summary>
    public static unsafe void Set(ref OctaveTable table, int leadingZeros, void* counters, int shift) =>
        Volatile.Write(ref table[leadingZeros], ((ulong)counters << ShiftBits) | (uint)shift);

    /// <summary>Removes all entries, so that each writer's next record takes the slow path.</summary>
    public static void Clear(ref OctaveTable table)
    {
        for (int i = 0; i < Length; i++)
        {
            Volatile.Write(ref table[i], 0);
        }
    }
}
