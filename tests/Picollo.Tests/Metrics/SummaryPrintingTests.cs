using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class SummaryPrintingTests
{
    [Fact]
    public void A_histogram_without_values_prints_zeros()
    {
        string table = new HdrHistogramSummary().ToTable(title: "Nothing yet");

        Lines(table)[..4].Should().Equal(
            "##### Nothing yet",
            "| Percentile |   Value | ±      | Count |",
            "| :--------- | ------: | :----- | ----: |",
            "| 0          |       0 | ±0     |     0 |");
        Lines(table)[3..19].Select(line => line.Split(' ')[1])
            .Should().Equal("0", "1", "5", "10", "25", "50", "75", "90", "92.5", "95", "97.5", "99", "99.9", "99.99", "99.999", "100");
        Lines(table)[19..].Should().Equal(
            "|            |         |        |       |",
            "| Mean:      |    0.00 | StDev: |  0.00 |",
            "| Precision: | 0.0000% | Total: |     0 |");
    }

    [Fact]
    public void The_rows_of_a_table_show_overflow_mean_precision_and_range()
    {
        HdrHistogram histogram = Create(10_000);
        histogram.Record(20_000, 1_000);
        histogram.Record(1, 2);
        histogram.Record(90_000, 3_000);

        Lines(histogram.GetSummary().ToTable())[^5..].Should().Equal(
            "| Overflow   |           |        |  3,002 |",
            "|            |           |        |        |",
            "| Mean:      | 20,096.00 | StDev: |   0.00 |",
            "| Precision: |   0.7813% | Total: |  1,000 |",
            "| Range Min: |    10,000 | Max:   | 30,000 |");
        Lines(Create(10_000).GetSummary().ToTable())[^1].Should().StartWith("| Range Min: |  10,000 |");
    }

    [Fact]
    public void A_change_from_0_is_not_available_and_NaN_is_not_printed()
    {
        HdrHistogram histogram = Create(0);
        HdrHistogramSummary empty = histogram.GetSummary();
        histogram.Record(20_000);

        string appeared = empty.ToDiffTable(histogram.GetSummary());
        string vanished = histogram.GetSummary().ToDiffTable(empty);
        string nothing = empty.ToDiffTable(empty);

        Cells(appeared, "50").Should().Equal("50", "0", "20,096", "n/a");
        Cells(appeared, "Total:").Should().Equal("Total:", "0", "1", "n/a");
        Cells(vanished, "50").Should().Equal("50", "20,096", "0", "-100.0%");
        Cells(nothing, "Mean:").Should().Equal("Mean:", "0.00", "0.00", "+0.0%");
        Cells(nothing, "D-value:").Should().Equal("D-value:", "", "", "0.00");
        Cells(nothing, "Precision:").Should().Equal("Precision:", "0.7813%", "0.7813%", "0.0%");
        (appeared + vanished + nothing).Should().NotContain("NaN").And.NotContain("∞").And.NotContain("Infinity");
    }

    [Fact]
    public void The_effect_size_without_variance_is_not_available()
    {
        HdrHistogram one = Create(0);
        HdrHistogram other = Create(0);
        one.Record(100);
        other.Record(200);

        Cells(one.GetSummary().ToDiffTable(other.GetSummary()), "D-value:")[3].Should().Be("n/a");
        one.GetSummary().GetEffectSize(other.GetSummary()).Should().Be(double.PositiveInfinity);
        other.GetSummary().GetEffectSize(one.GetSummary()).Should().Be(double.NegativeInfinity);
        one.GetSummary().GetEffectSize(one.GetSummary()).Should().Be(0);
    }

    [Fact]
    public void The_effect_size_uses_the_pooled_standard_deviation()
    {
        HdrHistogram before = Create(0);
        HdrHistogram after = Create(0);
        before.Record([10, 30]); // mean 20, deviation 10
        after.Record([10, 10, 50, 50, 50, 50]); // mean 36.67, variance 355.6

        double expected = ((220 / 6.0) - 20) / Math.Sqrt(((2 * 100) + (6 * (3_200 / 9.0))) / 8);
        before.GetSummary().GetEffectSize(after.GetSummary()).Should().BeApproximately(expected, 1e-12);
        after.GetSummary().GetEffectSize(before.GetSummary()).Should().BeApproximately(-expected, 1e-12);
    }

    [Fact]
    public void One_line_has_name_counts_mean_and_percentiles()
    {
        HdrHistogram histogram = Create(0);
        for (ulong value = 1; value <= 100; value++)
        {
            histogram.Record(value, 1_000);
        }

        histogram.Record(90_000);

        const string Figures = "Total=100,000, Overflow=1, Mean=50.5, P0=1, P25=25, P50=50, P90=90, P95=95, P99=99, P999=100, P100=100";
        histogram.GetSummary().ToString("latency").Should().Be("latency: " + Figures);
        histogram.GetSummary().ToString().Should().Be("Histogram: " + Figures);
    }

    [FactNeeding(Need.Cultures)]
    public void Text_does_not_depend_on_the_culture()
    {
        HdrHistogram histogram = Create(10_000);
        histogram.Record([20_000, 25_000, 25_000, 90_000]);
        HdrHistogramSummary summary = histogram.GetSummary();
        histogram.Record(12_000, 10);
        HdrHistogramSummary other = histogram.GetSummary();
        string Text() => summary.ToTable() + summary.ToDiffTable(other) + summary.ToString("name") + summary.P50;
        string expected = Text();

        Cultures.RunInGerman(() => Text().Should().Be(expected));
    }

    [Fact]
    public void Values_in_a_unit_are_printed_with_their_known_digits()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record([0, 7, 1_500_000, 12_300_000, 2_000_000_000_000]);

        string table = histogram.GetSummary().ToTable(new() { Name = "ms", Ratio = 1e6 }, "Latency");

        Lines(table)[0].Should().Be("##### Latency, ms");
        Lines(table).Where(line => line.Split(' ')[1] is "0" or "25" or "50" or "75" or "100" or "Mean:").Should().Equal(
            "| 0          |          0 | ±0     |          1 |",
            "| 25         |   0.000007 | ±0     |          2 |", // buckets below 1,024 have width 1, so every digit is known
            "| 50         |      1.500 | ±0.001 |          3 |",
            "| 75         |     12.296 | ±0.008 |          4 |",
            "| 100        |  2,000,381 | ±1,074 |          5 |",
            "| Mean:      | 400,078.96 | StDev: | 800,151.03 |");
    }

    [Fact]
    public void A_comparison_with_a_unit_has_the_same_changes()
    {
        HdrHistogram before = HdrHistogram.Create();
        HdrHistogram after = HdrHistogram.Create();
        before.Record([1_000_000, 2_000_000]);
        after.Record([500_000, 3_000_000]);

        string plain = before.GetSummary().ToDiffTable(after.GetSummary());
        string scaled = before.GetSummary().ToDiffTable(after.GetSummary(), unit: new() { Ratio = 1e6 });

        foreach (string row in new[] { "0", "50", "100", "Mean:", "StDev:", "Precision:", "Total:", "D-value:" })
        {
            Cells(scaled, row)[^1].Should().Be(Cells(plain, row)[^1]);
        }

        Cells(scaled, "0")[1..3].Should().Equal("0.9999", "0.5000");
        Cells(scaled, "Mean:")[1..3].Should().Equal("1.4999", "1.7501");
    }

    [Fact]
    public void Values_without_a_unit_have_every_digit()
    {
        UnitText.Value((1UL << 53) + 1, 1, 1).Should().Be("9,007,199,254,740,993", "a double has one digit fewer");
        UnitText.Width((1UL << 53) + 1, 1).Should().Be("9,007,199,254,740,993");
        UnitText.Width(0, 1000).Should().Be("0");
        UnitText.Real(0.001, 1).Should().Be("0.00", "two decimals are enough for integer values");
    }

    private static PlainHdrHistogram<uint> Create(ulong min) => HdrHistogram.Factory
        .WithRelativeError(0.01).WithMinTrackableValue(min).WithMaxTrackableValue(30_000).Create();

    private static string[] Lines(string table) => table.TrimEnd().ReplaceLineEndings("\n").Split('\n');

    private static string[] Cells(string table, string first) =>
        Lines(table).Select(line => line.Trim('|').Split('|').Select(cell => cell.Trim()).ToArray()).Single(cells => cells[0] == first);

    [Theory]
    [InlineData(1536, 1024, 2, 1.5)]
    [InlineData(1000, 1, 4, 1000)]
    [InlineData(123_392, 1, 128, 123_500)]
    [InlineData(5, 1, 1, 5)]
    [InlineData(0, 1024, 2, 0.001)]
    public void The_number_has_the_fewest_digits(ulong start, double ratio, ulong step, double expected)
    {
        (double value, double error) = RoundNumber.In(BucketOf(start, step), ratio);

        value.Should().Be(expected);
        error.Should().Be(step == 1 ? 0 : Math.Max(((start + step) / ratio) - expected, expected - (start / ratio)));
    }

    [Fact]
    public void The_number_is_always_in_the_bucket() => Seeded.Run(2_000, random =>
    {
        ulong step = 1UL << random.Next(1, 50);
        ulong start = (ulong)random.NextInt64(1, 1 << 12) * step;
        double ratio = Math.Pow(2, random.Next(-10, 60)) * (1 + random.Next(1000));

        (double value, double error) = RoundNumber.In(BucketOf(start, step), ratio);

        value.Should().BeGreaterThanOrEqualTo(start / ratio).And.BeLessThan((start + step) / ratio);
        error.Should().BePositive().And.BeLessThanOrEqualTo(step / ratio * 1.0000001);
    });

    private static Bucket BucketOf(ulong start, ulong step)
    {
        var layout = new HdrHistogramLayout(0.5 / 2_048, step);
        Bucket bucket = layout.BucketAt(layout.IndexOf(start), 0, 1);
        (bucket.Start, bucket.Step).Should().Be((start, step));
        return bucket;
    }
}
