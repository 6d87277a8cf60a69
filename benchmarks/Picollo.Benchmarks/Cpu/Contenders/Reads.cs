using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.Cpu.Contenders;

/// <summary>One reading after the other.</summary>
internal sealed class Reads<TRead>(string name, int operations = Reads<TRead>.OfOneCall) : Contender(name, operations)
    where TRead : struct, IRead
{
    private const int OfOneCall = 250;

    private long _sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        long sum = 0;
        for (int i = 0; i < operations; i++)
        {
            sum += TRead.Read();
        }

        _sum += sum;
    }

    /// <exception cref="InvalidOperationException">The clock is not one.</exception>
    public override void Verify()
    {
        long first = TRead.Read();
        if (first < 0 || TRead.Read() < first)
        {
            throw new InvalidOperationException($"{Name}: no time, or one that goes back.");
        }
    }
}
