using System.Numerics;
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
    public void Copies_and_sums_support_both_storages() => Seeded.Run(Lengths, random =>
    {
        uint[] narrow = NextCounters(random);
        ulong[] wide = [.. narrow.Select(counter => (ulong)counter << random.Next(20))];
        ulong[] sums = [.. narrow.Select(_ => (ulong)random.NextInt64())];
        ulong[] ofNarrow = [.. sums.Zip(narrow, (sum, counter) => sum + counter)];
        ulong[] ofBoth = [.. ofNarrow.Zip(wide, (sum, counter) => sum + counter)];

        CounterMath.Add<uint>(narrow, sums);
        sums.Should().Equal(ofNarrow);
        CounterMath.Add<ulong>(wide, sums);
        sums.Should().Equal(ofBoth);
        CounterMath.Sum<uint>(narrow).Should().Be(narrow.Aggregate(0UL, (sum, counter) => sum + counter));
        CounterMath.Sum<ulong>(wide).Should().Be(wide.Aggregate(0UL, (sum, counter) => sum + counter));
        CounterMath.CopyAndSum<uint>(narrow, sums).Should().Be(narrow.Aggregate(0UL, (sum, counter) => sum + counter));
        sums.Should().Equal(narrow.Select(counter => (ulong)counter));
        CounterMath.CopyAndSum<ulong>(wide, sums).Should().Be(wide.Aggregate(0UL, (sum, counter) => sum + counter));
        sums.Should().Equal(wide);
    });

    [Fact]
    public void A_count_that_does_not_fit_in_a_32_bit_counter_is_returned() => Seeded.Run(5 * Lengths, random =>
    {
        uint[] counters = [.. NextCounters(random).Select(counter => counter & int.MaxValue)];
        uint[] narrow = NextCounters(random, counters.Length);
        ulong[] wide = [.. narrow.Select(counter => random.Next(6) == 0 ? (ulong)counter << random.Next(33) : counter)];

        ShouldAddWhereFits<uint>(counters, narrow, narrow);
        ShouldAddWhereFits<ulong>(counters, wide, wide);
    });

    private static void ShouldAddWhereFits<TCount>(uint[] counters, TCount[] counts, IEnumerable<TCount> added)
        where TCount : unmanaged, IBinaryInteger<TCount>, IUnsignedNumber<TCount>
    {
        const int First = 7;
        uint[] sums = [.. counters];
        List<(int Number, ulong Count)>? rest = null;

        CounterMath.AddWhereFits<TCount>(counts, sums, First, ref rest);

        foreach ((int number, ulong count) in rest ?? [])
        {
            sums[number - First].Should().Be(counters[number - First], "it does not change");
            ulong.CreateChecked(counts[number - First]).Should().Be(count);
            ((UInt128)count + counters[number - First]).Should().BeGreaterThan(int.MaxValue);
        }

        int[] without = [.. (rest ?? []).Select(one => one.Number - First)];
        without.Should().OnlyHaveUniqueItems();
        ulong[] expected = [.. counters.Zip(added, (counter, count) => counter + ulong.CreateTruncating(count))];
        for (int i = 0; i < sums.Length; i++)
        {
            (without.Contains(i) || sums[i] == expected[i]).Should().BeTrue();
        }
    }

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
