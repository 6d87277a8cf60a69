using FsCheck;
using FsCheck.Fluent;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Properties for FsCheck, which shrinks a failing input to the smallest one and reports the seed.</summary>
public class BatchPropertyTests
{
    private const int Cases = 300;

    // Values of every magnitude: random bits, cut to a random bit length.
    private static readonly Arbitrary<ulong[]> AnyValues = Arb.From(
        (from length in Gen.Choose(0, 64)
         from high in Gen.Choose(int.MinValue, int.MaxValue)
         from low in Gen.Choose(int.MinValue, int.MaxValue)
         select length == 0 ? 0 : (((ulong)(uint)high << 32) | (uint)low) >> (64 - length)).ArrayOf(),
        ArrayShrinker);

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void A_batch_equals_its_values_in_any_order(string variant) => Check(values =>
    {
        HdrHistogram batched = Create(variant);
        HdrHistogram reversed = Create(variant);
        batched.Record(values);
        foreach (ulong value in values.Reverse())
        {
            reversed.Record(value);
        }

        return batched.BucketsWithValues.SequenceEqual(reversed.BucketsWithValues)
            && batched.UnderflowCount == reversed.UnderflowCount
            && batched.OverflowCount == reversed.OverflowCount;
    });

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void No_value_is_lost_or_counted_twice(string variant) => Check(values =>
    {
        HdrHistogram histogram = Create(variant);
        histogram.Record(values);
        return histogram.TotalCount + histogram.OverflowCount == (ulong)values.Length
            && histogram.UnderflowCount == (ulong)values.Count(value => value < histogram.Buckets.First().Start);
    });

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void The_sum_of_the_histograms_of_parts_equals_the_histogram_of_all_values(string variant) => Check(values =>
    {
        HdrHistogram all = Create(variant);
        HdrHistogram sum = Create(variant);
        all.Record(values);
        foreach (ulong[] part in values.Chunk(7))
        {
            HdrHistogram histogram = Create(variant);
            histogram.Record(part);
            sum.Add(histogram);
        }

        return sum.BucketsWithValues.SequenceEqual(all.BucketsWithValues)
            && sum.UnderflowCount == all.UnderflowCount
            && sum.OverflowCount == all.OverflowCount;
    });

    private static HdrHistogram Create(string variant) => Variants.Factories[variant]
        .WithRelativeError(0.03).WithMinTrackableValue(1_000).WithMaxTrackableValue(1UL << 50).Create();

    private static void Check(Func<ulong[], bool> property) =>
        Prop.ForAll(AnyValues, property).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases));

    private static IEnumerable<ulong[]> ArrayShrinker(ulong[] values)
    {
        if (values.Length > 1)
        {
            yield return values[..(values.Length / 2)];
            yield return values[(values.Length / 2)..];
        }

        for (int i = 0; i < values.Length; i++)
        {
            yield return [.. values[..i], .. values[(i + 1)..]];
        }
    }
}
