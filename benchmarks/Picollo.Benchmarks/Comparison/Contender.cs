namespace Picollo.Benchmarks.Comparison;

/// <summary>Something that is timed: a loop of N operations in a method of its own.</summary>
/// <remarks>
/// Each contender is a class of its own, or a generic one over a struct of its own, so that its <see cref="Run"/> is compiled for it alone,
/// with a profile that no other contender has touched. Overrides of <see cref="Run"/> are marked <c>NoInlining</c>.
/// </remarks>
internal abstract class Contender(string name, int operations)
{
    public string Name { get; } = name;

    /// <summary>
    /// Operations in one timed repetition. Some 100 µs: short compared with a scheduler's time slice, so that on a busy machine most
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

    /// <summary>Bytes that an operation allocates on this thread, once its first calls are over.</summary>
    public virtual double AllocatedBytes(int operations)
    {
        Run(operations / 10);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Run(operations);
        return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)operations;
    }

    /// <exception cref="InvalidOperationException">The condition is false.</exception>
    protected void Require(bool condition, string problem)
    {
        if (!condition)
        {
            throw new InvalidOperationException($"{Name}: {problem}");
        }
    }
}

/// <summary>An operation of a microsecond or more, so that the call of a delegate does not matter.</summary>
/// <param name="verify">Throws where the operation, which has run once, has not computed what it should.</param>
internal sealed class Repeated(string name, int operations, Action operation, Action? verify = null) : Contender(name, operations)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        Action repeated = operation;
        for (int i = 0; i < operations; i++)
        {
            repeated();
        }
    }

    public override void Verify()
    {
        operation();
        verify?.Invoke();
    }
}
