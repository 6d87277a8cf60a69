using System.Runtime.CompilerServices;

namespace Picollo.Metrics;

/// <summary>Where a writer finds the counters of each octave (the values with the same number of leading zeros): addresses by that number.
/// Null where the octave has no counters yet, or never has any because it is out of range.</summary>
/// <remarks>
/// <para>An address is that of the counter that the octave's first value would have if its place
/// (<see cref="HdrLayout.PlaceOf"/>) were 0. So the address of a value's counter is one load, a shift and an addition away, and a test for
/// null is all that a record has to test: it takes the place of the comparison with a length (0.84 ns against 0.97 for a flat array with
/// the comparison, and 1.03 for one that begins at an index of its own, November 2026).</para>
/// <para>Addresses are written by <see cref="CounterBlock{TCounter}"/> alone. They point into pinned arrays that the block holds, so a
/// writer keeps its histogram alive until it has written (<see cref="GC.KeepAlive"/>, which is no instruction).</para>
/// </remarks>
[InlineArray(Length)]
internal struct OctaveTable
{
    /// <summary>One for each number of leading zeros. A layout's smallest values are taken to have fewer than 64.</summary>
    public const int Length = 64;

    private nint _address;

    /// <summary>The address for a number of leading zeros, from 0 to 63.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static nint At(ref OctaveTable table, int leadingZeros) =>
        Unsafe.Add(ref Unsafe.As<OctaveTable, nint>(ref table), (nuint)(uint)leadingZeros);

    /// <summary>Sets an address. Each is written at once, so that a writer sees either the one before or this.</summary>
    public static void Set(ref OctaveTable table, int leadingZeros, nint address) => Volatile.Write(ref table[leadingZeros], address);

    /// <summary>Takes all addresses out, so that each writer's next record finds none.</summary>
    public static void Clear(ref OctaveTable table)
    {
        for (int i = 0; i < Length; i++)
        {
            Set(ref table, i, 0);
        }
    }
}
