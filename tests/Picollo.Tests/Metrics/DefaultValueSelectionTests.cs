using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>These tests set the selection of the whole process, so they do not run in parallel with tests that read values.</summary>
[Collection(Alone.Name)]
public class DefaultValueSelectionTests
{
    [Theory]
    [InlineData(EquivalentValueSelection.LowerBound, 19_968)]
    [InlineData(EquivalentValueSelection.UpperBound, 20_223)]
    [InlineData(EquivalentValueSelection.Midpoint, 20_096)]
    public void The_default_selection_determines_the_values(EquivalentValueSelection selection, ulong expected)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.01).Create();
        histogram.Record(20_000);
        try
        {
            Percentile.DefaultEquivalentValueSelection = selection;
            ulong[] values = new ulong[1];
            histogram.GetPercentileValues([50], values);

            values[0].Should().Be(expected);
            histogram.GetPercentileValue(50).Should().Be(expected);
            histogram.GetPercentile(50).Value.Should().Be(expected);
            histogram.GetSummary().P50.Value.Should().Be(expected);
            histogram.GetSummary().Mean.Should().Be(20_096, "mean and deviation always use midpoints");
        }
        finally
        {
            Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.Midpoint;
        }
    }

    [Fact]
    public void Data_from_JSON_keeps_the_selection_at_the_time_of_the_read()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.01).Create();
        histogram.Record(20_000);
        string percentile = System.Text.Json.JsonSerializer.Serialize(histogram.GetPercentile(50));
        string summary = System.Text.Json.JsonSerializer.Serialize(histogram.GetSummary());
        try
        {
            Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.LowerBound;
            Percentile readPercentile = System.Text.Json.JsonSerializer.Deserialize<Percentile>(percentile);
            HdrHistogramSummary readSummary = System.Text.Json.JsonSerializer.Deserialize<HdrHistogramSummary>(summary)!;
            Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.UpperBound;

            readPercentile.Value.Should().Be(19_968);
            readSummary.P50.Value.Should().Be(19_968);
        }
        finally
        {
            Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.Midpoint;
        }
    }

    [Fact]
    public void Interpolation_does_not_overflow()
    {
        var histogram = HdrHistogram.Factory.WithRelativeError(0.1).WithUInt64Storage().Create();
        histogram.Record(ulong.MaxValue, ulong.MaxValue);

        Bucket top = histogram.GetBucket(ulong.MaxValue);
        histogram.GetPercentileValue(100, EquivalentValueSelection.Interpolated).Should().Be(ulong.MaxValue);
        histogram.GetPercentileValue(50, EquivalentValueSelection.Interpolated).Should().BeCloseTo(top.Midpoint, 2);
    }

    [Theory]
    [InlineData(EquivalentValueSelection.LowerBound, "19,968", "+256")]
    [InlineData(EquivalentValueSelection.UpperBound, "20,223", "-256")]
    [InlineData(EquivalentValueSelection.Interpolated, "19,968", "~128")]
    [InlineData(EquivalentValueSelection.Midpoint, "20,096", "±128")]
    public void The_precision_in_a_table_depends_on_the_selection(EquivalentValueSelection selection, string value, string precision)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.01).Create();
        histogram.Record(20_000);
        try
        {
            Percentile.DefaultEquivalentValueSelection = selection;
            string row = histogram.GetSummary().ToTable().Split('\n').Single(line => line.StartsWith("| 50 ", StringComparison.Ordinal));
            row.Split('|', StringSplitOptions.TrimEntries)[2..4].Should().Equal(value, precision);
        }
        finally
        {
            Percentile.DefaultEquivalentValueSelection = default;
        }

        Percentile.DefaultEquivalentValueSelection.Should().Be(EquivalentValueSelection.Midpoint);
    }

    [Fact]
    public void Percentiles_and_summaries_keep_the_selection_of_their_read()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.01).Create();
        histogram.Record(20_000);
        Percentile percentile = histogram.GetPercentile(50);
        Percentile ofBucket = histogram.BucketPercentilesWithValues.Single();
        HdrHistogramSummary summary = histogram.GetSummary();
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        string table = summary.ToTable();
        try
        {
            Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.UpperBound;

            (percentile.Value, ofBucket.Value, summary.P50.Value).Should().Be((20_096, 20_096, 20_096));
            summary.ToTable().Should().Be(table);
            snapshot.GetPercentile(50).Value.Should().Be(20_223, "a snapshot is read at the time of the call");
            histogram.BucketPercentilesWithValues.Single().Value.Should().Be(20_223);

            Percentile again = histogram.GetPercentile(50);
            again.Value.Should().Be(20_223);
            again.Should().Be(percentile, "equality ignores the selection");
            again.GetHashCode().Should().Be(percentile.GetHashCode());

            histogram.GetSummary(summary).P50.Value.Should().Be(20_223, "it was filled again");
        }
        finally
        {
            Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.Midpoint;
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(5)]
    public void An_undefined_default_selection_is_rejected(int selection)
    {
        try
        {
            FluentActions.Invoking(() => Percentile.DefaultEquivalentValueSelection = (EquivalentValueSelection)selection)
                .Should().Throw<ArgumentOutOfRangeException>().WithParameterName("value");
            Percentile.DefaultEquivalentValueSelection.Should().Be(EquivalentValueSelection.Midpoint);
        }
        finally
        {
            Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.Midpoint;
        }
    }
}
