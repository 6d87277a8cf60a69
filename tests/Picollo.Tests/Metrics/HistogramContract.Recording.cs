using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <content>Single records and batches.</content>
public abstract partial class HistogramContract
{
    private const int LongestBatch = 70; // several vectors, with every remainder

    [Theory]
    [InlineData(12_345, 0, ulong.MaxValue, true)]
    [InlineData(12_345, 12_345, 12_345, true)] // exact, in the middle of a bucket
    [InlineData(12_345, 12_346, ulong.MaxValue, false)]
    [InlineData(12_345, 0, 12_344, false)]
    [InlineData(9_999, 0, ulong.MaxValue, false)] // the histogram's own range is narrower
    [InlineData(30_001, 0, ulong.MaxValue, false)]
    public void RecordInRange_uses_the_narrower_range(ulong value, ulong min, ulong max, bool isInRange)
    {
        HdrHistogram histogram = CreateNarrow();
        histogram.RecordInRange(value, min, max);
        Action strict = () => histogram.RecordInRange(value, min: min, max: max, throwOnOutOfRange: true);

        if (isInRange)
        {
            strict();
            (histogram.TotalCount, histogram.OverflowCount).Should().Be((2UL, 0UL));
        }
        else
        {
            strict.Should().Throw<ArgumentOutOfRangeException>().WithParameterName(nameof(value));
            (histogram.TotalCount, histogram.OverflowCount).Should().Be((0UL, 2UL));
            histogram.UnderflowCount.Should().Be(value < Math.Max(min, Min) ? 2UL : 0);
        }
    }

    [Fact]
    public void A_batch_of_any_length_equals_its_values_one_by_one() => Seeded.Run(LongestBatch + 1, random =>
    {
        // Test every length in every case: the seed determines only the values.
        for (int length = 0; length <= LongestBatch; length++)
        {
            HdrHistogram batched = CreateNarrow();
            HdrHistogram oneByOne = CreateNarrow();
            ulong[] values = [.. Enumerable.Range(0, length).Select(_ => NextInOrAroundRange(random))];

            batched.Record(values);
            foreach (ulong value in values)
            {
                oneByOne.Record(value);
            }

            ShouldHaveEqualCounts(batched, oneByOne);
        }
    });

    [Fact]
    public void A_batch_can_contain_values_of_every_magnitude() => Seeded.Run(20, random =>
    {
        HdrHistogram batched = CreateWide();
        HdrHistogram oneByOne = CreateWide();
        ulong[] values = [.. Values.Edges, .. Enumerable.Range(0, 500).Select(_ => random.NextMagnitude())];
        random.Shuffle(values);

        batched.Record(values);
        foreach (ulong value in values)
        {
            oneByOne.Record(value);
        }

        batched.TotalCount.Should().Be((ulong)values.Length);
        ShouldHaveEqualCounts(batched, oneByOne);
    });

    private static ulong NextInOrAroundRange(Random random) => random.Next(8) switch
    {
        0 => random.NextMagnitude(),
        1 => random.NextBetween(Min - 300, Min + 300),
        2 => random.NextBetween(Max - 300, Max + 300),
        3 => 20_000, // several lanes of one vector with the same bucket
        _ => random.NextBetween(Min, Max),
    };
}
