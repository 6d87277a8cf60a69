using System.Runtime.CompilerServices;

namespace Picollo.Samples.Top;

/// <summary>The function with which the document keeps a CPU busy.</summary>
public static class Ackermann
{
    /// <summary>The stack size of a thread that computes (3, 13). It is several times the size needed for its 65,000 nested calls. Pages that are
    /// not touched take no memory.</summary>
    public const int StackBytes = 64 * 1024 * 1024;

    /// <summary>Computes Ackermann's function.</summary>
    /// <remarks>It is fully optimized from the start, so that the JIT compiler does not use CPU time during the first seconds.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static int Compute(int m, int n) =>
        m == 0 ? n + 1
        : n == 0 ? Compute(m - 1, 1)
        : Compute(m - 1, Compute(m, n - 1));
}
