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
        ulong[] values = new ulong[Count];
        for (int i = 0; i < values.Length; i++)
        {
            values[i] = (ulong)next(random);
        }

        random.Shuffle(values);
        Values = values;
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
