using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Subtraction of counts, in the vectors and in what is left after them: to no less than 0.</summary>
public class CounterMathTests
{
    private const int Lengths = 40; // several vectors of any size, and every rest

    [Fact]
    public void A_baseline_is_taken_off_to_no_less_than_0() => Seeded.Run(Lengths, random =>
    {
        ulong[] baseline = NextCounts(random);
        ulong[] sums = NextCounts(random, baseline.Length);
        ulong[] expected = [.. sums.Zip(baseline, (sum, before) => sum > before ? sum - before : 0)];

        CounterMath.Subtract(baseline, sums);

        sums.Should().Equal(expected);
    });

    [Fact]
    public void Deltas_are_no_less_than_0_and_the_counts_are_kept_for_the_next() => Seeded.Run(Lengths, random =>
    {
        ulong[] previous = NextCounts(random);
        ulong[] counts = NextCounts(random, previous.Length);
        ulong[] kept = [.. counts];
        ulong[] expected = [.. counts.Zip(previous, (count, before) => count > before ? count - before : 0)];

        CounterMath.ToDeltas(counts, previous);

        counts.Should().Equal(expected);
        previous.Should().Equal(kept);
    });

    private static ulong[] NextCounts(Random random) => NextCounts(random, random.Next(Lengths));

    private static ulong[] NextCounts(Random random, int length) =>
        [.. Enumerable.Range(0, length).Select(_ => random.Next(4) == 0 ? ulong.MaxValue - (ulong)random.Next(3) : (ulong)random.Next(5))];
}
