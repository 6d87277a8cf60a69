using System.Runtime.CompilerServices;

namespace Picollo;

/// <summary>Work of a known size, to see what a measurement makes of it.</summary>
/// <remarks>Static and without state: any thread may call it at any time. Allocates nothing, calls no system function.</remarks>
/// <example><code>
/// session.Read();
/// CpuUtils.AddChain256(1000); // 256,000 cycles
/// session.Read();
/// </code></example>
public static class CpuUtils
{
    /// <summary>Runs through a chain of 256 additions as often as asked. Each needs the result of the one before and takes one cycle
    /// on the CPUs of today, so that the core has nothing to do at once or out of turn: about
    /// <paramref name="rounds"/> × 256 cycles of the core's clock, and slightly more instructions than that.</summary>
    /// <param name="rounds">How often; 0 or less does nothing.</param>
    /// <returns>The sum of the chain, <paramref name="rounds"/> × 256 × <paramref name="rounds"/>, modulo 2⁶⁴; of use to nobody, but with
    /// it the additions cannot be left out.</returns>
    // Optimised at once: the first tier keeps the sum in memory, which takes several cycles an addition. Not inlined: `step` would
    // become a constant there, and some cores do additions of constants while they rename registers, in no time at all.
    [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
    public static ulong AddChain256(int rounds)
    {
        ulong sum = 0, step = (uint)rounds;
        for (int i = 0; i < rounds; i++)
        {
            sum = Add16(Add16(Add16(Add16(sum, step), step), step), step);
            sum = Add16(Add16(Add16(Add16(sum, step), step), step), step);
            sum = Add16(Add16(Add16(Add16(sum, step), step), step), step);
            sum = Add16(Add16(Add16(Add16(sum, step), step), step), step);
        }

        return sum;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Add16(ulong sum, ulong step)
    {
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        return sum;
    }
}
