using System.Runtime.CompilerServices;

namespace Picollo.Samples.Top;

/// <summary>The document's way to keep a CPU busy.</summary>
public static class Ackermann
{
    /// <summary>The stack of a thread that computes (3, 13), which is 65,000 calls deep: several times what that takes. Pages that are not
    /// touched take no memory.</summary>
    public const int StackBytes = 64 * 1024 * 1024;

    /// <remarks>Compiled once and for all, so that no compiler thread runs beside the first seconds.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static int Compute(int m, int n) =>
        m == 0 ? n + 1
        : n == 0 ? Compute(m - 1, 1)
        : Compute(m - 1, Compute(m, n - 1));
}
