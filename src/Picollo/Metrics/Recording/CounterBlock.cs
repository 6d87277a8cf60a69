namespace Picollo.Metrics;

/// <summary>A <see cref="CounterBlock{TCounter}"/> of either storage, as readers see it.</summary>
internal abstract class CounterBlock
{
    private ulong _underflow;
    private ulong _overflow;

    /// <summary>The counts of values outside the range.</summary>
    public (ulong Underflow, ulong Overflow) OutOfRange
    {
        get
        {
            (ulong underflow, ulong overflow) = CountersOutOfRange();
            return (Volatile.Read(ref _underflow) + underflow, Volatile.Read(ref _overflow) + overflow);
        }
    }

    /// <summary>Bytes of the counters and their carries.</summary>
    public abstract long FootprintInBytes { get; }

    /// <summary>Counts values outside the range, from any thread.</summary>
    public void AddOutOfRange(bool below, ulong count) => Interlocked.Add(ref below ? ref _underflow : ref _overflow, count);

    /// <summary>Adds the block's counts to <paramref name="sums"/>. A writer whose counter passes 2³¹ meanwhile waits.</summary>
    public abstract void AddTo(Span<ulong> sums);

    /// <summary>As <see cref="AddTo"/>, over what <paramref name="sums"/> held: a pass less than clearing it first.</summary>
    public abstract void CopyTo(Span<ulong> sums);

    /// <summary>Fills a summary from the counters in place; <see langword="false"/> where they alone are not the whole
    /// truth, or were written meanwhile.</summary>
    public abstract bool TryFill(HdrHistogramSummary summary, ReadOnlyHdrHistogram owner);

    /// <summary>What was counted in counters that lie in an octave of the range, but outside it.</summary>
    private protected abstract (ulong Underflow, ulong Overflow) CountersOutOfRange();
}
