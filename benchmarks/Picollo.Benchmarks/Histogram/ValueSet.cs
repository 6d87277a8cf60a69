namespace Picollo.Benchmarks.Histogram;

/// <summary>The values that are recorded: a million, the same in every run.</summary>
internal sealed class ValueSet
{
    public const int Count = 1_000_000;

    /// <summary>The range of the histograms that both sets are recorded into.</summary>
    public const ulong MaxTrackableValue = 7_716_549_600;

    private const int Seed = 42;

    private ValueSet(string name, Func<Random, double> next)
    {
        Name = name;
        Random random = new(Seed);
        Values = [.. Enumerable.Range(0, Count).Select(_ => (ulong)next(random))];
        random.Shuffle(Values);
    }

    /// <summary>Skewed to small values, over the whole range.</summary>
    public static ValueSet Wide { get; } = new(
        "wide", random => Math.Pow(random.NextDouble(), 3) * MaxTrackableValue);

    /// <summary>A floor of 20,000 and some noise: a few hundred buckets, which stay in the first-level cache.</summary>
    public static ValueSet Narrow { get; } = new(
        "narrow",
        random => 20_000 + (random.NextDouble() * 2_000) + (random.NextDouble() * 1_000) + (random.NextDouble() * 5)
            + (random.NextDouble() * 250));

    public string Name { get; }

    public ulong[] Values { get; }

    public override string ToString() => Name;
}

/// <summary>The slow and obvious way to count into the buckets of an HDR histogram, which the contenders must agree with.</summary>
internal static class ReferenceCounts
{
    /// <summary>The bucket of a value: halve it until it is below two blocks; each halving is one block further.</summary>
    public static int IndexOf(ulong value, int blockSize)
    {
        int block = 0;
        while (value >= 2 * (ulong)blockSize)
        {
            value >>= 1;
            block++;
        }

        return (block * blockSize) + (int)value;
    }

    /// <summary>The bucket of each value.</summary>
    public static uint[] Indexes(ulong[] values, int blockSize) => Array.ConvertAll(values, value => (uint)IndexOf(value, blockSize));

    /// <summary>The number of values in each bucket.</summary>
    public static ulong[] Of(ulong[] values, int blockSize, int length)
    {
        ulong[] counts = new ulong[length];
        foreach (uint index in Indexes(values, blockSize))
        {
            counts[index]++;
        }

        return counts;
    }
}
