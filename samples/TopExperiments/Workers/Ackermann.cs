using System.Runtime.CompilerServices;

namespace Picollo.Samples.Top;

/// <summary>The document's way to keep a CPU busy.</summary>
public static class Ackermann
{
    /// <summary>The document's largest second argument: about 2.6 s, and 65,000 calls deep.</summary>
    public const int Largest = 13;

    /// <summary>Enough for <see cref="Largest"/> several times over; pages that are not touched take no memory.</summary>
    public const int StackBytes = 64 * 1024 * 1024;

    /// <remarks>Compiled once and for all, so that no compiler thread runs beside the first seconds.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static int Compute(int m, int n) =>
        m == 0 ? n + 1
        : n == 0 ? Compute(m - 1, 1)
        : Compute(m - 1, Compute(m, n - 1));
}
