using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>
/// What every variant of the histogram does alike; one subclass a variant (HistogramContract.Variants.cs) runs all of it.
/// </summary>
public abstract partial class HistogramContract
{
    private const ulong Min = 10_000;
    private const ulong Max = 30_000;

    /// <summary>The factory of the variant, with defaults for the rest.</summary>
    protected abstract HdrHistogramFactory Factory { get; }

    /// <summary>A histogram of relative error 0.0078125 over everything.</summary>
    private HdrHistogram CreateWide() => Factory.WithRelativeError(0.01).Create();

    /// <summary>The article's: relative error 0.0078125, 10,000 to 30,000, which widens to 9,984 to 30,207.</summary>
    private HdrHistogram CreateNarrow() =>
        Factory.WithRelativeError(0.01).WithMinTrackableValue(Min).WithMaxTrackableValue(Max).Create();

    private static void ShouldHoldTheSame(ReadOnlyHdrHistogram actual, ReadOnlyHdrHistogram expected)
    {
        actual.BucketsWithValues.Should().Equal(expected.BucketsWithValues);
        actual.TotalCount.Should().Be(expected.TotalCount);
        actual.UnderflowCount.Should().Be(expected.UnderflowCount);
        actual.OverflowCount.Should().Be(expected.OverflowCount);
    }

    private static void ShouldBeEmpty(ReadOnlyHdrHistogram histogram)
    {
        histogram.TotalCount.Should().Be(0);
        histogram.OverflowCount.Should().Be(0);
        histogram.UnderflowCount.Should().Be(0);
        histogram.BucketsWithValues.Should().BeEmpty();
        histogram.GetPercentileValue(100).Should().Be(0);
    }
}
