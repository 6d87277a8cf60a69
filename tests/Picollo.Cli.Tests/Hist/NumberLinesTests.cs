using System.Text;
using Picollo.Cli.Hist;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Tests.Hist;

public class NumberLinesTests
{
    [Fact]
    public void Each_line_is_read_as_a_number()
    {
        foreach (string text in (string[])["1\n2\n3\n", "1\n2\n3", "1\r\n2\r\n3\r\n", "1\r\n2\r\n3", "\uFEFF1\n2\n3", "\n1\n\n 2 \n\r\n\t3\n\n", "+1\n2.0\n3e0\n"])
        {
            Read(text).Should().Equal([1, 2, 3], text);
        }

        Read("").Concat(Read("\n\n")).Concat(Read("\uFEFF")).Should().BeEmpty();
        Read("9,1\n9,2\n9,3\n", "2").Should().Equal([1, 2, 3], "a column by number needs no heading");
    }

    [Fact]
    public void Invalid_lines_are_skipped_on_request_and_the_first_ones_are_reported()
    {
        BadLines bad = new(areSkipped: true), single = new(areSkipped: true);

        Read("1\nx\n2\n-3\n\e]0;x[/]\n4\ny\n" + new string('z', 100), badLines: bad).Should().Equal(1, 2, 4);
        Read(new string('z', 100), badLines: single);

        bad.Count.Should().Be(5);
        ReportOf(bad).Should().Be(
            "picollo: 5 lines skipped; the first ones:\n  in: line 2: not a number: 'x'\n  in: line 4: negative: '-3'\n  in: line 5: not a number: '?]0;x[/]'\n");
        ReportOf(single).Should().Be($"picollo: 1 line skipped:\n  in: line 1: not a number; use --format to specify another format: '{new string('z', 40)}…'\n");
    }

    [Theory]
    [InlineData(NumberLines.BlockSize - 1, true)]
    [InlineData(NumberLines.BlockSize, false)]
    [InlineData((5 * NumberLines.BlockSize) + 17, false)]
    public void A_line_longer_than_a_block_is_invalid(int length, bool isRead)
    {
        BadLines bad = new(areSkipped: true);

        Read($"1\n{new string('0', length - 1)}5\n2\nx\n", badLines: bad).Should().Equal(isRead ? [1, 2, 5] : [1, 2]);

        ReportOf(bad).Should().Contain("in: line 4: not a number: 'x'");
        ReportOf(bad).Contains("in: line 2: longer than 262,143 bytes\n", StringComparison.Ordinal).Should().Be(!isRead);
    }

    [Theory]
    [InlineData("b")]
    [InlineData("2")]
    public void A_column_is_read_by_name_or_number(string column)
    {
        Read("a,b,c\n9,1,9\n9,2,9\n9,3,9\n", column).Should().Equal(1, 2, 3);
        Read("a;b;c\r\n9;1;9\r\n\r\n9;2;9\r\n9;3", column).Should().Equal(1, 2, 3);
        Read("\uFEFFa\tb\tc\n\"9\t9\"\t1\t9\n9\t\"2\"\t9\n9\t 3 \t9", column).Should().Equal(1, 2, 3);
    }

    [Theory]
    [InlineData("x \"y\", z")]
    [InlineData("line\nend")]
    [InlineData("[/]")]
    public void Quoted_values_may_contain_separators_quotes_and_line_ends(string column)
    {
        string quoted = $"\"{column.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";

        Read($"a,{quoted},c\n\"1,1\",5,9\n\"a \"\"\nb\",6,9\n", column).Should().Equal(5, 6);
    }

    [Theory]
    [InlineData(null, "1\n2\nabc\n4", "in: line 3: not a number: 'abc'")]
    [InlineData(null, "1\n\n\nabc", "in: line 4: not a number: 'abc'")]
    [InlineData(null, "-1\n", "in: line 1: negative: '-1'")]
    [InlineData(null, "NaN\n", "in: line 1: not a number; use --format to specify another format: 'NaN'")]
    [InlineData(null, "1\r\n12 13\r\n", "in: line 2: not a number: '12 13'")]
    [InlineData(null, "18446744073709551616\n", "in: line 1: larger than 18,446,744,073,709,551,615: '18446744073709551616'")]
    [InlineData("b", "a,b\n1,x\n", "in: line 2: not a number: 'x'")]
    [InlineData("b", "a,b\n1,\n", "in: line 2: not a number")]
    [InlineData("b", "a,b\n\n1\n", "in: line 3: no column b")]
    [InlineData("b", "a,b\n\"x\ny\",1\n1,-2", "in: line 4: negative: '-2'")]
    [InlineData("b", "a,b\n1,2\n\"1,2\n3,4\n", "in: line 3: an opening quote has no closing quote")]
    [InlineData("b", "a,c\n1,2\n", "in: no column 'b'; available columns: a, c")]
    [InlineData("b", "1,2,3,4,5,6,7,8,9\n", "in: no column 'b'; available columns: 1, 2, 3, 4, 5, 6, 7, 8, …")]
    public void An_invalid_line_or_column_is_reported(string? column, string text, string message) =>
        FluentActions.Invoking(() => Read(text, column)).Should().Throw<CommandException>().WithMessage(message).Which.ExitCode
            .Should().Be(1);

    [Fact]
    public void An_unclosed_quote_invalidates_only_its_line()
    {
        BadLines bad = new(areSkipped: true);
        string lines = string.Concat(Enumerable.Repeat("9,7\n", NumberLines.BlockSize));

        Read($"a,b\n\"9,5\n{lines}", "b", bad).Should().HaveCount(NumberLines.BlockSize).And.OnlyContain(number => number == 7);

        ReportOf(bad).Should().Be("picollo: 1 line skipped:\n  in: line 2: an opening quote has no closing quote\n");
    }

    [Fact]
    public void Blocks_may_end_at_any_byte() => Seeded.Run(200, random =>
    {
        string[] lines = ["17", "5\r", "", "\"a\nb\",7", "0.5,1", "x,2", "-1", "\"", "1e3,99999999999999999999", "18446744073709551615", "3,\"4\"", "\uFEFF8"];
        string text = string.Join('\n', Enumerable.Range(0, random.Next(40)).Select(_ => lines[random.Next(lines.Length)]));
        foreach (string? column in new[] { null, "2" })
        {
            BadLines expected = new(areSkipped: true);
            BadLines actual = new(areSkipped: true);

            Read(new Pieces(text, random), column, actual).Should().Equal(Read(text, column, expected));

            ReportOf(actual).Should().Be(ReportOf(expected));
        }
    });

    private static double[] Read(string text, string? column = null, BadLines? badLines = null) =>
        Read(new MemoryStream(Encoding.UTF8.GetBytes(text)), column, badLines);

    /// <summary>Returns the values of the buckets. They equal the numbers if these are whole and small.</summary>
    private static double[] Read(Stream stream, string? column, BadLines? badLines)
    {
        NumberHistogram histogram = new();
        new NumberLines("in", column, histogram, badLines ?? new BadLines(areSkipped: false)).Read(stream);
        return [.. histogram.Histogram.BucketsWithValues.SelectMany(
            bucket => Enumerable.Repeat(bucket.Start * Math.ScaleB(1, -histogram.Places), (int)bucket.Count))];
    }

    private static string ReportOf(BadLines badLines)
    {
        using StringWriter text = new() { NewLine = "\n" };
        badLines.Report(text);
        return text.ToString();
    }

    /// <summary>A stream that returns a few bytes at a time.</summary>
    private sealed class Pieces(string text, Random random) : MemoryStream(Encoding.UTF8.GetBytes(text))
    {
        public override int Read(Span<byte> buffer) => base.Read(buffer[..Math.Min(buffer.Length, 1 + random.Next(7))]);
    }
}
