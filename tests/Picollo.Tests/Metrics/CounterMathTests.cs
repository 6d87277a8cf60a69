using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Sums and differences of counts, in vectors and in the remainder.</summary>
public class CounterMathTests
{
    private const int Lengths = 40; // several vectors of any size, with every remainder

    [Fact]
    public void Subtract_has_a_minimum_of_0() => Seeded.Run(Lengths, random =>
    {
        ulong[] baseline = NextCounts(random);
        ulong[] sums = NextCounts(random, baseline.Length);
        ulong[] expected = [.. sums.Zip(baseline, (sum, before) => sum > before ? sum - before : 0)];

        CounterMath.Subtract(baseline, sums);

        sums.Should().Equal(expected);
    });

    [Fact]
    public void ReadDeltas_supports_both_storages() => Seeded.Run(Lengths, random =>
    {
        uint[] narrow = NextCounters(random);
        ulong[] wide = NextCounts(random, narrow.Length);
        ulong[] last = NextCounts(random, narrow.Length);
        ulong[] deltas = new ulong[narrow.Length];
        ulong[] expected = [.. narrow.Zip(last, (count, before) => count > before ? count - before : 0)];
        ulong[] expectedThen = [.. wide.Zip(narrow, (count, before) => count > before ? count - before : 0)];

        CounterMath.ReadDeltas<uint>(narrow, last, deltas);
        deltas.Should().Equal(expected);
        last.Should().Equal(narrow.Select(counter => (ulong)counter));
        CounterMath.ReadDeltas<ulong>(wide, last, deltas);
        deltas.Should().Equal(expectedThen);
        last.Should().Equal(wide);
    });

    [Fact]
    public void A_count_that_does_not_fit_in_a_32_bit_counter_is_returned() => Seeded.Run(5 * Lengths, random =>
    {
        const int First = 7;
        uint[] counters = [.. NextCounters(random).Select(counter => counter & int.MaxValue)];
        uint[] narrow = NextCounters(random, counters.Length), sums = [.. counters], sumsOfWide = [.. counters];
        ulong[] wide = [.. narrow.Select(counter => random.Next(6) == 0 ? (ulong)counter << random.Next(33) : counter)];
        List<(int Number, ulong Count)>? rest = null, restOfWide = null;

        CounterMath.AddWhereFits<uint>(narrow, sums, First, ref rest);
        CounterMath.AddWhereFits<ulong>(wide, sumsOfWide, First, ref restOfWide);

        ShouldBeAddedWhereItFits([.. narrow.Select(count => (ulong)count)], sums, rest ?? []);
        ShouldBeAddedWhereItFits(wide, sumsOfWide, restOfWide ?? []);

        void ShouldBeAddedWhereItFits(ulong[] counts, uint[] sums, List<(int Number, ulong Count)> rest)
        {
            bool[] fits = [.. counts.Select((count, i) => (UInt128)count + counters[i] <= int.MaxValue)];
            rest.Should().Equal(Enumerable.Range(0, counts.Length).Where(i => !fits[i]).Select(i => (First + i, counts[i])));
            sums.Should().Equal(counters.Select((counter, i) => fits[i] ? counter + (uint)counts[i] : counter));
        }
    });

    private static uint[] NextCounters(Random random) => NextCounters(random, random.Next(2 * Lengths));

    /// <summary>Returns small counters, and some that nearly fill a 32-bit counter or half of it.</summary>
    private static uint[] NextCounters(Random random, int length) => [.. Enumerable.Range(0, length).Select(_ => random.Next(8) switch
    {
        0 => uint.MaxValue - (uint)random.Next(3),
        1 => (uint)int.MaxValue - (uint)random.Next(3),
        _ => (uint)random.Next(5),
    })];

    private static ulong[] NextCounts(Random random) => NextCounts(random, random.Next(Lengths));

    private static ulong[] NextCounts(Random random, int length) =>
        [.. Enumerable.Range(0, length).Select(_ => random.Next(4) == 0 ? ulong.MaxValue - (ulong)random.Next(3) : (ulong)random.Next(5))];
}
