using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Sets the selection of the whole process: alone, not beside tests that read values.</summary>
[Collection(Alone.Name)]
public class DefaultValueSelectionTests
{
    [Theory]
    [InlineData(EquivalentValueSelection.LowerBound, 19_968)]
    [InlineData(EquivalentValueSelection.UpperBound, 20_223)]
    [InlineData(EquivalentValueSelection.Midpoint, 20_096)]
    public void The_default_selection_decides_what_values_are(EquivalentValueSelection selection, ulong expected)
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
            histogram.GetSummary().Mean.Should().Be(20_096, "mean and deviation are over midpoints whatever is selected");
        }
        finally
        {
            Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.Midpoint;
        }
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(3)]
    public void An_undefined_default_selection_is_refused_where_it_is_set(int selection)
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
