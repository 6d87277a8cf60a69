using System.Text.Json;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>These tests set the selection of the whole process, so they do not run in parallel with tests that read values.</summary>
[Collection(Alone.Name)]
public sealed class DefaultValueSelectionTests : IDisposable
{
    private readonly HdrHistogram _histogram = HdrHistogram.Factory.WithRelativeError(0.01).Create();

    public DefaultValueSelectionTests() => _histogram.Record(20_000);

    public void Dispose() => Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.Midpoint;

    [Theory]
    [InlineData(EquivalentValueSelection.LowerBound, 19_968, "19,968", "+256")]
    [InlineData(EquivalentValueSelection.UpperBound, 20_223, "20,223", "-256")]
    [InlineData(EquivalentValueSelection.Midpoint, 20_096, "20,096", "±128")]
    public void The_default_selection_determines_the_values(
        EquivalentValueSelection selection, ulong expected, string text, string precision)
    {
        Percentile.DefaultEquivalentValueSelection = selection;
        ulong[] values = new ulong[1];
        _histogram.GetPercentileValues([50], values);
        HdrHistogramSummary summary = _histogram.GetSummary();

        values[0].Should().Be(expected);
        _histogram.GetPercentileValue(50).Should().Be(expected);
        _histogram.GetPercentile(50).Value.Should().Be(expected);
        summary.P50.Value.Should().Be(expected);
        summary.Mean.Should().Be(20_096, "mean and deviation always use midpoints");
        string row = summary.ToTable().Split('\n').Single(line => line.StartsWith("| 50 ", StringComparison.Ordinal));
        row.Split('|', StringSplitOptions.TrimEntries)[2..4].Should().Equal(text, precision);
    }

    [Fact]
    public void Data_from_JSON_keeps_the_selection_at_the_time_of_the_read()
    {
        string percentile = JsonSerializer.Serialize(_histogram.GetPercentile(50));
        string summary = JsonSerializer.Serialize(_histogram.GetSummary());
        Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.LowerBound;
        Percentile readPercentile = JsonSerializer.Deserialize<Percentile>(percentile);
        HdrHistogramSummary readSummary = JsonSerializer.Deserialize<HdrHistogramSummary>(summary)!;
        Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.UpperBound;

        (readPercentile.Value, readSummary.P50.Value).Should().Be((19_968, 19_968));
    }

    [Fact]
    public void Interpolation_does_not_overflow()
    {
        var histogram = HdrHistogram.Factory.WithRelativeError(0.1).WithUInt64Storage().Create();
        histogram.Record(ulong.MaxValue, ulong.MaxValue);

        histogram.GetPercentileValue(100, EquivalentValueSelection.Interpolated).Should().Be(ulong.MaxValue);
        histogram.GetPercentileValue(50, EquivalentValueSelection.Interpolated)
            .Should().BeCloseTo(histogram.GetBucket(ulong.MaxValue).Midpoint, 2);
    }

    [Fact]
    public void Percentiles_and_summaries_keep_the_selection_of_their_read()
    {
        Percentile percentile = _histogram.GetPercentile(50);
        Percentile ofBucket = _histogram.BucketPercentilesWithValues.Single();
        HdrHistogramSummary summary = _histogram.GetSummary();
        HdrHistogramSnapshot snapshot = _histogram.GetSnapshot();
        string table = summary.ToTable();

        Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.UpperBound;

        (percentile.Value, ofBucket.Value, summary.P50.Value).Should().Be((20_096, 20_096, 20_096));
        summary.ToTable().Should().Be(table);
        snapshot.GetPercentile(50).Value.Should().Be(20_223, "a snapshot is read at the time of the call");
        _histogram.BucketPercentilesWithValues.Single().Value.Should().Be(20_223);
        Percentile again = _histogram.GetPercentile(50);
        again.Should().Be(percentile, "equality ignores the selection");
        again.GetHashCode().Should().Be(percentile.GetHashCode());
        _histogram.GetSummary(summary).P50.Value.Should().Be(20_223, "it was filled again");
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(5)]
    public void An_undefined_default_selection_is_rejected(int selection)
    {
        FluentActions.Invoking(() => Percentile.DefaultEquivalentValueSelection = (EquivalentValueSelection)selection)
            .Should().Throw<ArgumentOutOfRangeException>().WithParameterName("value");
        Percentile.DefaultEquivalentValueSelection.Should().Be(EquivalentValueSelection.Midpoint);
    }
}
