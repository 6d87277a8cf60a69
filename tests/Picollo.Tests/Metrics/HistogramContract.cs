using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Tests of the behavior that all variants of the histogram share. One subclass per variant (HistogramContract.Variants.cs) runs
/// all of them.</summary>
public abstract partial class HistogramContract
{
    private const ulong Min = 10_000;
    private const ulong Max = 30_000;

    /// <summary>The factory of the variant, with default settings.</summary>
    protected abstract HdrHistogramFactory Factory { get; }

    /// <summary>Creates a histogram with relative error 0.0078125 and the full range.</summary>
    private HdrHistogram CreateWide() => Factory.WithRelativeError(0.01).Create();

    /// <summary>Creates the histogram of the article: relative error 0.0078125, range 10,000 to 30,000, which is extended to 9,984 to
    /// 30,207.</summary>
    private HdrHistogram CreateNarrow() =>
        Factory.WithRelativeError(0.01).WithMinTrackableValue(Min).WithMaxTrackableValue(Max).Create();

    private static void ShouldHaveEqualCounts(ReadOnlyHdrHistogram actual, ReadOnlyHdrHistogram expected)
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
