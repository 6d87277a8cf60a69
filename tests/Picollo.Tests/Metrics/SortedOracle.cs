namespace Picollo.Tests.Metrics;

/// <summary>Computes the expected results of a histogram from the sorted values. It computes buckets from their definition, with divisions
/// and integers, without the library's code.</summary>
internal sealed class SortedOracle
{
    private readonly int _blockSize;
    private readonly ulong _unit;
    private readonly ulong[] _sorted;

    public SortedOracle(IEnumerable<ulong> values, int blockSize, ulong unit, ulong min, ulong max)
    {
        _blockSize = blockSize;
        _unit = unit;
        ulong lowest = StartOf(min);
        ulong highest = LastOf(max);
        ulong[] all = [.. values.Order()];
        _sorted = [.. all.Where(value => value >= lowest && value <= highest)];
        Underflow = (ulong)all.Count(value => value < lowest);
        Overflow = (ulong)all.Count(value => value > highest);
    }

    public ulong Total => (ulong)_sorted.Length;

    public ulong Underflow { get; }

    public ulong Overflow { get; }

    public IEnumerable<(ulong Start, ulong Count)> Buckets =>
        _sorted.GroupBy(StartOf).Select(bucket => (bucket.Key, (ulong)bucket.Count()));

    public (ulong Count, ulong Value) At(double rank)
    {
        ulong count = RankOracle.CountAt(rank, Total);
        return (count, _sorted[(int)count - 1]);
    }

    public ulong CountBetween(ulong low, ulong high)
    {
        ulong lowest = StartOf(low);
        ulong highest = LastOf(high);
        return (ulong)_sorted.Count(value => value >= lowest && value <= highest);
    }

    public ulong StartOf(ulong value) => value - (value % StepOf(value));

    private ulong LastOf(ulong value) => StartOf(value) + (StepOf(value) - 1);

    // Returns the largest power of two that, times BlockSize, is not above the value; the unit for the first two blocks.
    private ulong StepOf(ulong value)
    {
        ulong step = _unit;
        while (value / step / 2 >= (ulong)_blockSize)
        {
            step *= 2;
        }

        return step;
    }
}
