using Picollo.Export.Text;

namespace Picollo.Export.Tests;

/// <summary>Tests the format. Another test compares the bytes for random histograms with those of the Java library.</summary>
public class PercentileDistributionTests
{
    [Theory]
    [InlineData("1000", 1000, 0.5)]
    [InlineData("1.50", 1.5, 0.005)]
    [InlineData("1e3", 1000, 500)]
    [InlineData("1.25E+3", 1250, 5)]
    [InlineData("1.0e-4", 0.0001, 0.000005)]
    public void A_printed_number_has_the_error_of_its_last_digit(string text, double value, double error)
    {
        PrintedNumber.TryParse(text, '.', out PrintedNumber number).Should().BeTrue();

        number.Value.Should().Be(value);
        number.Error.Should().BeApproximately(error, error * 1e-9);
    }

    [Theory]
    [InlineData("1e"), InlineData("e3"), InlineData("1e400"), InlineData("1e99999999999"), InlineData("0e99999999999")]
    [InlineData("1e-99999999999")]
    public void A_damaged_exponent_is_not_a_number(string text) => PrintedNumber.TryParse(text, '.', out _).Should().BeFalse();

    [Fact]
    public void The_text_has_the_format_of_the_HdrHistogram_libraries() => Text(Ten(), 2).Should().Be(
        """
               Value     Percentile TotalCount 1/(1-Percentile)

               1.000 0.000000000000          1           1.00
               3.000 0.250000000000          3           1.33
               5.000 0.500000000000          5           2.00
               7.000 0.625000000000          7           2.67
               8.000 0.750000000000          8           4.00
               9.000 0.812500000000          9           5.33
               9.000 0.875000000000          9           8.00
            1000.000 0.906250000000         10          10.67
            1000.000 1.000000000000         10
        #[Mean    =      104.500, StdDeviation   =      298.510]
        #[Max     =     1000.000, Total count    =           10]
        #[Buckets =           11, SubBuckets     =         2048]

        """.ReplaceLineEndings("\n"));

    [Fact]
    public void The_CSV_has_the_format_of_the_HdrHistogram_libraries()
    {
        using var text = new StringWriter();
        PercentileDistribution.WriteCsv(Ten(), text, 1, 10);
        text.ToString().Should().Be(
            """
            "Value","Percentile","TotalCount","1/(1-Percentile)"
            0.100,0.000000000000,1,1.00
            0.500,0.500000000000,5,2.00
            0.800,0.750000000000,8,4.00
            0.900,0.875000000000,9,8.00
            100.000,0.937500000000,10,16.00
            100.000,1.000000000000,10,Infinity

            """.ReplaceLineEndings("\n"));
    }

    [Fact]
    public void An_empty_histogram_has_only_a_footer() => Text(HdrHistogram.Factory.WithSignificantDigits(1).WithMaxTrackableValue(100).Create(), 5).Should().Be(
        """
               Value     Percentile TotalCount 1/(1-Percentile)

        #[Mean    =          0.0, StdDeviation   =          0.0]
        #[Max     =          0.0, Total count    =            0]
        #[Buckets =            3, SubBuckets     =           32]

        """.ReplaceLineEndings("\n"));

    [Fact]
    public void Counts_above_the_precision_of_steps_are_written()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(1, 1UL << 60);
        histogram.Record(2, 1);
        string[] lines = Text(histogram, 5).Split('\n');
        lines.Should().HaveCountLessThan(400);
        lines.Should().Contain(line => line.TrimStart().StartsWith("2.000 1.000000000000 1152921504606846977"));
    }

    [Fact]
    public void A_written_distribution_is_read_back_also_in_other_cultures() => Seeded.Run(30, random =>
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(random.Next(1, 4)).Create();
        for (int i = random.Next(300); i > 0; i--)
        {
            histogram.Record(random.NextMagnitude() >> random.Next(64), (ulong)random.Next(1, 1000));
        }

        int ticks = random.Next(1, 20);
        using var csv = new StringWriter();
        PercentileDistribution.WriteCsv(histogram, csv, ticks);
        PercentileDistributionLine[] lines = [.. Read(Text(histogram, ticks))];

        // HdrHistogram.NET, the C library and old versions of the Java library write numbers in the culture of the machine.
        string text = Text(histogram, ticks), plain = csv.ToString();
        string[] variants =
        [
            plain, text.Replace('.', ','), text.Replace('.', '\u066B'), plain.Replace('.', ','), plain.Replace(',', ';').Replace('.', ','),
            plain.Replace(',', '\t').Replace('.', ','),
            string.Join('\n', plain.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(
                line => line.StartsWith('"') ? line : $"\"{line.Replace(",", "\",\"", StringComparison.Ordinal).Replace('.', ',')}\"")),
        ];
        variants.Should().OnlyContain(variant => Read(variant).SequenceEqual(lines));
        foreach (PercentileDistributionLine line in lines)
        {
            // 12 decimals of a rank identify the value for up to 300,000 values.
            Percentile percentile = histogram.GetPercentile(Math.Min((line.Rank * 100) - 1e-9, 100) is var rank && rank > 0 ? rank : 0);
            (percentile.Bucket.Start + (percentile.Bucket.Step - 1)).Should().BeLessThanOrEqualTo((ulong)(line.Value * 1.000001));
            line.TotalCount.Should().BeGreaterThanOrEqualTo(percentile.TargetCount);
        }

        if (histogram.TotalCount > 0)
        {
            lines[^1].Rank.Should().Be(1);
            lines[^1].TotalCount.Should().Be(histogram.TotalCount);
        }
        else
        {
            lines.Should().BeEmpty();
        }
    });

    [Theory]
    [InlineData("1\u202F234,500 1,0 7", 1234.5)]
    [InlineData("1\u00A0234\u00A0567 1,0 7", 1_234_567)]
    public void No_break_spaces_group_digits(string line, double value) => Read(line).Should().Equal(new PercentileDistributionLine(value, 1, 7));

    [Fact]
    public void The_maximum_is_the_upper_bound_of_its_bucket()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(1).Create();
        histogram.Record(1000); // in the bucket 992 to 1023
        Text(histogram, 5).Should().Contain("#[Max     =       1023.0,");
    }

    [Fact]
    public void A_range_within_the_first_bucket_is_one_bucket() =>
        Text(HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(10).Create(), 5)
            .Should().Contain("#[Buckets =            1, SubBuckets     =         2048]");

    [Theory]
    [InlineData("1.0 0.5 7\n x", 2, 1), InlineData("1.0 0.5", 1, 0), InlineData("1.0 1.5 7", 1, 0), InlineData("\n1.0 0.5 -7", 2, 0)]
    [InlineData("\n NaN 0.5 7", 2, 0), InlineData("Infinity 0.5 7", 1, 0), InlineData("1 NaN 7", 1, 0)]
    [InlineData("1 0.5 7\n\uFEFF1 0.5 7", 2, 0), InlineData("Value Percentile TotalCount\n\nx", 3, 0)]
    [InlineData("Value Percentile TotalCount\n1 0.5 1\n\n\n", 2, 0)]
    public void An_invalid_line_is_reported_with_its_position(string text, long line, long offset)
    {
        Func<object> read = () => Read(text).ToArray();
        HdrHistogramFormatException error = read.Should().Throw<HdrHistogramFormatException>().Which;
        (error.Line, error.Offset).Should().Be((line, offset));
    }

    [Fact]
    public void A_line_of_more_than_64_KiB_is_rejected()
    {
        string longest = "1.0 1.0 7".PadRight(65_536);
        Read($"{longest}\r\n{longest}").Should().HaveCount(2);

        Func<object> read = () => Read($"1.0 0.5 7\n{longest} ").ToArray();
        read.Should().Throw<HdrHistogramFormatException>().Which.Line.Should().Be(2);
    }

    [Fact]
    public void Lines_are_read_one_at_a_time()
    {
        using StringReader reader = new("1.0 0.5 7\n2.0 0.6 8\n");
        new PercentileDistributionReader(reader).Read().First().TotalCount.Should().Be(7);
        reader.ReadLine().Should().Be("2.0 0.6 8");
    }

    [Theory]
    [InlineData("1.0 1 7")]
    [InlineData("       Value     Percentile TotalCount 1/(1-Percentile)\n1.0 1 7")]
    [InlineData("\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"\n1.0,1,7,Infinity")]
    public void A_byte_order_mark_is_skipped(string text) =>
        Read("\uFEFF" + text).Should().Equal(new PercentileDistributionLine(1, 1, 7));

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 0)]
    [InlineData(1, double.NaN)]
    public void Arguments_out_of_range_are_rejected(int ticks, double ratio)
    {
        Action write = () => PercentileDistribution.Write(HdrHistogram.Create(), TextWriter.Null, ticks, ratio);
        write.Should().Throw<ArgumentOutOfRangeException>();
    }

    // Java's Formatter rounds the shortest digits half up: https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/util/Formatter.html
    [Theory]
    [InlineData(0.15, 1, "0.2"), InlineData(0.25, 1, "0.3"), InlineData(1.005, 2, "1.01"), InlineData(2.5, 0, "3")]
    [InlineData(999.9996, 3, "1000.000"), InlineData(0, 2, "0.00"), InlineData(1e-9, 3, "0.000"), InlineData(5e-4, 3, "0.001")]
    [InlineData(1e22, 1, "10000000000000000000000.0"), InlineData(1.2345678901234567e30, 0, "1234567890123456700000000000000")]
    [InlineData(-1.5, 0, "-2"), InlineData(double.PositiveInfinity, 2, "Infinity")]
    public void Numbers_are_rounded_as_Java_rounds_them(double value, int decimals, string expected) =>
        FixedPoint.Format(value, decimals).Should().Be(expected);

    private static IEnumerable<PercentileDistributionLine> Read(string text) => new PercentileDistributionReader(new StringReader(text)).Read();

    private static PlainHdrHistogram<uint> Ten()
    {
        PlainHdrHistogram<uint> histogram = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(2_000_000).Create();
        histogram.Record([1, 2, 3, 4, 5, 6, 7, 8, 9, 1000]);
        return histogram;
    }

    private static string Text(HdrHistogram histogram, int ticks)
    {
        using var text = new StringWriter();
        PercentileDistribution.Write(histogram, text, ticks);
        return text.ToString();
    }
}
