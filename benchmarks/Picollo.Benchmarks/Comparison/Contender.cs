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

    /// <summary>
    /// Operations in one timed repetition. Some 100 µs: short beside a scheduler's time slice, so that on a busy machine most
    /// repetitions are not interrupted and the median is one of them.
    /// </summary>
    public int Operations { get; } = operations;

    /// <summary>Operations in a call that is not timed: to raise the tier, and to bring the caches back before a repetition.</summary>
    public int WarmUpOperations { get; init; } = Math.Max(operations / 2, 1);

    public abstract void Run(int operations);

    /// <summary>Throws where the contender does not compute what it should. Called once, before the warm-up.</summary>
    public virtual void Verify()
    {
    }

    /// <summary>One repetition, in nanoseconds an operation.</summary>
    public virtual double Measure()
    {
        Run(WarmUpOperations);
        long start = Stopwatch.GetTimestamp();
        Run(Operations);
        return (Stopwatch.GetTimestamp() - start) * (1e9 / Stopwatch.Frequency) / Operations;
    }
}
