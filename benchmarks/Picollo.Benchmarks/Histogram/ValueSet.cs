namespace Picollo.Benchmarks.Histogram;

/// <summary>The recorded values: a million, the same in every run.</summary>
internal sealed class ValueSet
{
    public const int Count = 1_000_000;

    /// <summary>The maximum of the range of the histograms, for both sets.</summary>
    public const ulong MaxTrackableValue = 7_716_549_600;

    private const int Seed = 42;

    private ValueSet(string name, Func<Random, double> next)
    {
        Name = name;
        Random random = new(Seed);
        Values = [.. Enumerable.Range(0, Count).Select(_ => (ulong)next(random))];
        random.Shuffle(Values);
    }

    /// <summary>Values over the whole range, skewed towards small values.</summary>
    public static ValueSet Wide { get; } = new(
        "wide", random => Math.Pow(random.NextDouble(), 3) * MaxTrackableValue);

    /// <summary>A minimum of 20,000 plus noise. The values are in a few hundred buckets, which fit in the first-level cache.</summary>
    public static ValueSet Narrow { get; } = new(
        "narrow",
        random => 20_000 + (random.NextDouble() * 2_000) + (random.NextDouble() * 1_000) + (random.NextDouble() * 5)
            + (random.NextDouble() * 250));

    public string Name { get; }

    public ulong[] Values { get; }

    public override string ToString() => Name;
}

/// <summary>A slow and simple reference for counting in the buckets of an HDR histogram. The contenders must agree with it.</summary>
internal static class ReferenceCounts
{
    /// <summary>Returns the bucket of a value. The value is halved until it is below two blocks; each halving adds one block.</summary>
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

    /// <summary>Returns the bucket of each value.</summary>
    public static uint[] Indexes(ulong[] values, int blockSize) => Array.ConvertAll(values, value => (uint)IndexOf(value, blockSize));

    /// <summary>Returns the number of values in each bucket.</summary>
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
