using Picollo.Cli.Stat;
using Picollo.Metrics;

namespace Picollo.Cli.Tests.Stat;

public class SampleStatisticsTests
{
    [Fact]
    public void The_standard_deviation_of_two_runs_is_the_sample_deviation()
    {
        SampleStatistics.StDev(Of(10, 20)).Should().BeApproximately(10 / Math.Sqrt(2), 1e-9);
        Of(10, 20).StDev.Should().Be(5, "a histogram uses the population standard deviation");
        SampleStatistics.StDev(Of(2, 4, 4, 4, 5, 5, 7, 9)).Should().BeApproximately(2.13809, 1e-5);
        SampleStatistics.StDev(Of(7)).Should().Be(0);
    }

    [Fact]
    public void The_effect_size_uses_the_pooled_sample_deviation()
    {
        // s² is 1 and 4 with n = 3 each; the pooled deviation is √2.5.
        SampleStatistics.EffectSize(Of(9, 10, 11), Of(18, 20, 22)).Should().BeApproximately(10 / Math.Sqrt(2.5), 1e-9);
        SampleStatistics.EffectSize(Of(9, 11), Of(20)).Should().BeApproximately(10 / Math.Sqrt(2), 1e-9);
        SampleStatistics.EffectSize(Of(9), Of(20)).Should().Be(double.NaN);
        SampleStatistics.EffectSize(Of(9, 9), Of(20, 20)).Should().Be(double.PositiveInfinity);
    }

    [Fact]
    public void The_change_of_a_mean_has_the_confidence_interval_of_Welch()
    {
        // Each mean has a relative variance of 1/300. The sum is 1/150, with 4 degrees of freedom: t = 2.776.
        double halfWidth = 2.776 * Math.Sqrt(1 / 150d);

        Change change = SampleStatistics.ChangeOf([9, 10, 11], [18, 20, 22]);

        change.Mean.Should().BeApproximately(1, 1e-9);
        change.Low.Should().BeApproximately((2 * Math.Exp(-halfWidth)) - 1, 1e-9);
        change.High.Should().BeApproximately((2 * Math.Exp(halfWidth)) - 1, 1e-9);
        SampleStatistics.ChangeOf([10, 10], [11, 11]).Should().Be(new Change(1.1 - 1, 1.1 - 1, 1.1 - 1), "the runs of each command are equal");
        SampleStatistics.ChangeOf([10], [11, 12]).Low.Should().Be(double.NaN);
    }

    [Theory]
    [InlineData(3, 3)]
    [InlineData(5, 12)]
    [InlineData(40, 70)]
    public void The_interval_contains_the_true_change_in_95_percent_of_cases(int before, int after)
    {
        const int Trials = 4_000;
        Random random = new(before);
        int hits = Enumerable.Range(0, Trials).Count(_ =>
        {
            Change change = SampleStatistics.ChangeOf(Normal(1_000_000, 20_000, before), Normal(1_100_000, 50_000, after));
            return change.Low <= 0.1 && change.High >= 0.1;
        });

        ((double)hits / Trials).Should().BeInRange(0.94, 0.98, "with few runs, an interval of 95% is slightly wider than necessary");

        ulong[] Normal(double mean, double deviation, int count) => [.. Enumerable.Range(0, count).Select(_ =>
            (ulong)(mean + (deviation * Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble()))))];
    }

    private static HdrHistogramSummary Of(params ulong[] values)
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(values);
        return histogram.GetSummary();
    }
}
