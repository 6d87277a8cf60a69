using System.Diagnostics;

namespace Picollo.Benchmarks.Comparison;

/// <summary>
/// Something that is timed: a loop of so many operations in a method of its own.
/// </summary>
/// <remarks>
/// Each contender is a class of its own, so that its <see cref="Run"/> is compiled for it alone, with a profile that no
/// other contender has touched. Overrides of <see cref="Run"/> are marked <c>NoInlining</c>.
/// </remarks>
internal abstract class Contender(string name, int operations)
{
    public string Name { get; } = name;

    /// <summary>Operations in one timed repetition.</summary>
    public int Operations { get; } = operations;

    /// <summary>Operations in one warm-up call, which only has to raise the tier.</summary>
    public int WarmUpOperations { get; init; } = Math.Min(operations, 2_000);

    public abstract void Run(int operations);

    /// <summary>Throws where the contender does not compute what it should. Called once, before the warm-up.</summary>
    public virtual void Verify()
    {
    }

    /// <summary>One repetition, in nanoseconds an operation.</summary>
    public virtual double Measure()
    {
        long start = Stopwatch.GetTimestamp();
        Run(Operations);
        return (Stopwatch.GetTimestamp() - start) * (1e9 / Stopwatch.Frequency) / Operations;
    }
}
