using System.Globalization;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class SummaryPrintingTests
{
    [Fact]
    public void A_histogram_without_values_prints_zeros()
    {
        string table = new HdrHistogramSummary().ToTable(title: "Nothing yet");

        Lines(table).Should().Equal(
            "##### Nothing yet",
            "| Percentile |   Value | ±      | Count |",
            "| :--------- | ------: | :----- | ----: |",
            "| 0          |       0 | ±0     |     0 |",
            "| 1          |       0 | ±0     |     0 |",
            "| 5          |       0 | ±0     |     0 |",
            "| 10         |       0 | ±0     |     0 |",
            "| 25         |       0 | ±0     |     0 |",
            "| 50         |       0 | ±0     |     0 |",
            "| 75         |       0 | ±0     |     0 |",
            "| 90         |       0 | ±0     |     0 |",
            "| 92.5       |       0 | ±0     |     0 |",
            "| 95         |       0 | ±0     |     0 |",
            "| 97.5       |       0 | ±0     |     0 |",
            "| 99         |       0 | ±0     |     0 |",
            "| 99.9       |       0 | ±0     |     0 |",
            "| 99.99      |       0 | ±0     |     0 |",
            "| 99.999     |       0 | ±0     |     0 |",
            "| 100        |       0 | ±0     |     0 |",
            "|            |         |        |       |",
            "| Mean:      |    0.00 | StDev: |  0.00 |",
            "| Precision: | 0.0000% | Total: |     0 |");
    }

    [Theory]
    [InlineData(0, 20_000, false, false)]
    [InlineData(10_000, 20_000, false, true)]
    [InlineData(10_000, 1, true, true)]
    [InlineData(0, 90_000, true, true)]
    public void Overflow_and_range_rows_appear_only_if_needed(ulong min, ulong value, bool overflow, bool range)
    {
        HdrHistogram histogram = Create(min);
        histogram.Record([20_000, value]);

        string table = histogram.GetSummary().ToTable();

        table.Contains("| Overflow ", StringComparison.Ordinal).Should().Be(overflow);
        table.Contains("| Range Min:", StringComparison.Ordinal).Should().Be(range);
        string diff = histogram.GetSummary().ToDiffTable(histogram.GetSummary());
        diff.Should().NotContain("Overflow").And.NotContain("Range");
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
    public void Titles_and_columns_can_be_set()
    {
        HdrHistogramSummary summary = new();

        Lines(summary.ToTable())[0].Should().Be("##### Histogram summary");
        Lines(summary.ToTable(title: "Latency"))[0].Should().Be("##### Latency");
        Lines(summary.ToDiffTable(summary))[0].Should().Be("##### Histogram diff");
        Lines(summary.ToDiffTable(summary, title: "Change", thisName: "Old", otherName: "New"))[..2].Should().Equal(
            "##### Change", "| Percentile |     Old |     New |    Δ% |");
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

        CultureInfo culture = CultureInfo.CurrentCulture;
        try
        {
            CultureInfo.CurrentCulture = Cultures.German;
            1_234.5.ToString("N1", CultureInfo.CurrentCulture).Should().Be("1.234,5", "the current culture is not invariant");
            Text().Should().Be(expected);
        }
        finally
        {
            CultureInfo.CurrentCulture = culture;
        }
    }

    [Fact]
    public void Null_arguments_are_rejected()
    {
        HdrHistogramSummary summary = new();

        summary.Invoking(s => s.PrettyPrintDiff(null!)).Should().Throw<ArgumentNullException>().WithParameterName("other");
        summary.Invoking(s => s.ToDiffTable(null!)).Should().Throw<ArgumentNullException>().WithParameterName("other");
        summary.ToString(null).Should().Be(summary.ToString());
        summary.Invoking(s => s.GetEffectSize(null!)).Should().Throw<ArgumentNullException>().WithParameterName("after");
    }

    [Fact]
    public void Values_in_a_unit_are_printed_with_their_known_digits()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record([0, 7, 1_500_000, 12_300_000, 2_000_000_000_000]);

        string table = histogram.GetSummary().ToTable(new() { Name = "ms", Ratio = 1e6 }, "Latency");

        Lines(table)[0].Should().Be("##### Latency, ms");
        Lines(table).Where(line => line.StartsWith("| 0 ", StringComparison.Ordinal) || line.StartsWith("| 25 ", StringComparison.Ordinal) || line.StartsWith("| 50 ", StringComparison.Ordinal)
            || line.StartsWith("| 75 ", StringComparison.Ordinal) || line.StartsWith("| 100 ", StringComparison.Ordinal) || line.StartsWith("| Mean", StringComparison.Ordinal)).Should().Equal(
            "| 0          |          0 | ±0     |          1 |",
            "| 25         |   0.000007 | ±0     |          2 |", // buckets below 1,024 have width 1, so every digit is known
            "| 50         |      1.500 | ±0.001 |          3 |",
            "| 75         |     12.296 | ±0.008 |          4 |",
            "| 100        |  2,000,381 | ±1,074 |          5 |",
            "| Mean:      | 400,078.96 | StDev: | 800,151.03 |");
    }

    [Fact]
    public void A_small_mean_has_five_digits()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record([100, 110]);

        Cells(histogram.GetSummary().ToTable(unit: new() { Ratio = 1e9 }), "Mean:").Should().Equal("Mean:", "0.00000010500", "StDev:", "0.0000000050000");
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

    [Theory]
    [InlineData(1e-30)]
    [InlineData(1e30)]
    public void The_limits_of_the_unit_ratio_are_allowed(double ratio) => new HdrHistogramUnit { Ratio = ratio }.Ratio.Should().Be(ratio);

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(double.NaN)]
    [InlineData(1e31)]
    public void A_unit_ratio_out_of_range_is_rejected(double ratio) =>
        FluentActions.Invoking(() => new HdrHistogramUnit { Ratio = ratio }).Should().Throw<ArgumentOutOfRangeException>();

    [Fact]
    public void Units_are_compared_by_value()
    {
        HdrHistogramUnit milliseconds = new() { Name = "ms", Ratio = 1e6 };

        milliseconds.Should().Be(new HdrHistogramUnit { Name = "ms", Ratio = 1e6 }).And.NotBe(new HdrHistogramUnit { Name = "ms" });
        new HdrHistogramDescription { Unit = milliseconds }.Should().Be(new HdrHistogramDescription { Unit = milliseconds with { } });
    }

    private static PlainHdrHistogram<uint> Create(ulong min) => HdrHistogram.Factory
        .WithRelativeError(0.01).WithMinTrackableValue(min).WithMaxTrackableValue(30_000).Create();

    private static string[] Lines(string table) => table.TrimEnd().ReplaceLineEndings("\n").Split('\n');

    private static string[] Cells(string table, string first) =>
        Lines(table).Select(line => line.Trim('|').Split('|').Select(cell => cell.Trim()).ToArray()).Single(cells => cells[0] == first);
}
