using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Compares any sequence of records, resets, additions and snapshot updates with a model of a few dictionaries.</summary>
public class HistogramModelTests
{
    private const ulong Min = 500;
    private const ulong Max = 5_000;

    private static readonly ulong[] SomeValues = [0, 400, 499, 500, 1_000, 1_001, 1_500, 2_000, 3_000, 4_999, 6_000, ulong.MaxValue];

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void Any_sequence_of_calls_matches_the_model(string variant) => Seeded.Run(60, random =>
    {
        HdrHistogramFactory factory = Variants.Factories[variant]
            .WithRelativeError(0.001).WithMinTrackableValue(Min).WithMaxTrackableValue(Max);
        HdrHistogram histogram = factory.Create();
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        Dictionary<ulong, ulong> sinceReset = [];
        Dictionary<ulong, ulong> sinceUpdate = [];
        void Count(ulong value, ulong count)
        {
            sinceReset[value] = sinceReset.GetValueOrDefault(value) + count;
            sinceUpdate[value] = sinceUpdate.GetValueOrDefault(value) + count;
        }

        for (int step = 0; step < 200; step++)
        {
            ulong value = SomeValues[random.Next(SomeValues.Length)];
            switch (random.Next(9))
            {
                case 0 or 1:
                    histogram.Record(value);
                    Count(value, 1);
                    break;
                case 2:
                    ulong count = random.NextMagnitude() >> 20;
                    histogram.Record(value, count);
                    Count(value, count);
                    break;
                case 3:
                    ulong[] batch = [.. Enumerable.Range(0, random.Next(40)).Select(_ => SomeValues[random.Next(SomeValues.Length)])];
                    histogram.Record(batch);
                    Array.ForEach(batch, each => Count(each, 1));
                    break;
                case 4:
                    HdrHistogram other = factory.Create();
                    other.Record(value, 3);
                    histogram.Add(other);
                    Count(value, 3);
                    break;
                case 5 when random.Next(4) == 0:
                    histogram.Reset();
                    sinceReset.Clear();
                    sinceUpdate.Clear();
                    break;
                case 6:
                    snapshot.Update(deltas: true);
                    ShouldMatch(snapshot, sinceUpdate);
                    sinceUpdate.Clear();
                    break;
                case 7:
                    snapshot.Update();
                    ShouldMatch(snapshot, sinceReset);
                    sinceUpdate.Clear();
                    break;
                default:
                    ShouldMatch(histogram, sinceReset);
                    break;
            }
        }
    });

    private static void ShouldMatch(ReadOnlyHdrHistogram histogram, Dictionary<ulong, ulong> expected)
    {
        ulong Sum(Func<ulong, bool> predicate) => expected.Where(each => predicate(each.Key)).Aggregate(0UL, (sum, each) => sum + each.Value);

        // Values up to 1,023 have their own buckets; larger values are in buckets of width 2, 4 or 8.
        histogram.TotalCount.Should().Be(Sum(value => value is >= Min and <= Max));
        histogram.UnderflowCount.Should().Be(Sum(value => value < Min));
        histogram.OverflowCount.Should().Be(Sum(value => value is < Min or > Max));
        foreach (ulong value in SomeValues.Where(value => value is >= Min and <= Max))
        {
            Bucket bucket = histogram.GetBucket(value);
            bucket.Count.Should().Be(Sum(each => each >= bucket.Start && each - bucket.Start < bucket.Step));
        }
    }
}
