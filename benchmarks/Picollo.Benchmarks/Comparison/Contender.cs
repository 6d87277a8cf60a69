namespace Picollo.Benchmarks.Comparison;

/// <summary>A measured loop of N operations.</summary>
/// <remarks>
/// Each contender is a separate class, or a generic class over a separate struct. Its <see cref="Run"/> is therefore compiled separately, with a
/// separate profile. Overrides of <see cref="Run"/> are marked <c>NoInlining</c>.
/// </remarks>
internal abstract class Contender(string name, int operations)
{
    public string Name { get; } = name;

    /// <summary>
    /// The number of operations in a measured repetition, for a duration of about 100 µs. This is short compared with a time slice of the scheduler,
    /// so most repetitions are not interrupted on a busy machine, and the median is not affected.
    /// </summary>
    public int Operations { get; } = operations;

    /// <summary>The number of operations in a call that is not measured. Such calls raise the compilation tier, and fill the caches before a
    /// repetition.</summary>
    public int WarmUpOperations { get; init; } = Math.Max(operations / 2, 1);

    public abstract void Run(int operations);

    /// <summary>Verifies the result of the contender. Called once, before the warm-up.</summary>
    /// <exception cref="InvalidOperationException">The result is wrong.</exception>
    public virtual void Verify()
    {
    }

    /// <summary>Measures one repetition.</summary>
    /// <returns>The time of an operation, in nanoseconds.</returns>
    public virtual double Measure()
    {
        Run(WarmUpOperations);
        long start = Stopwatch.GetTimestamp();
        Run(Operations);
        return (Stopwatch.GetTimestamp() - start) * (1e9 / Stopwatch.Frequency) / Operations;
    }

    /// <summary>Measures the bytes that an operation allocates on this thread, after a warm-up.</summary>
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

/// <summary>A contender for an operation of at least a microsecond, for which the cost of a delegate call does not matter.</summary>
/// <param name="name">The name in the report.</param>
/// <param name="operations">The number of operations in a measured repetition.</param>
/// <param name="operation">The operation.</param>
/// <param name="verify">Throws if the result of the operation is wrong. Called after the first operation.</param>
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
