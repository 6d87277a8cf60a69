using System.Text;

namespace Picollo.Export.Tests;

/// <summary>Verifies that the parser of the tests is strict.</summary>
public class ExpositionParserTests
{
    private const string Good =
        "# HELP x Back\\\\slash.\n# TYPE x histogram\nx_bucket{k=\"a\\\"\\n\",le=\"1\"} 1\nx_bucket{k=\"a\\\"\\n\",le=\"+Inf\"} 2\nx_sum{k=\"a\\\"\\n\"} 3.5e-06\nx_count{k=\"a\\\"\\n\"} 2\n# more\n";

    [Fact]
    public void Valid_text_is_parsed()
    {
        var (series, comments) = ExpositionParser.Parse(Encoding.UTF8.GetBytes(Good));

        ExpositionSeries x = series.Should().ContainSingle().Subject;
        x.Help.Should().Be("Back\\slash.");
        x.Labels.Should().Equal(new Dictionary<string, string> { ["k"] = "a\"\n" });
        x.Buckets.Should().Equal(("1", 1, 1), ("+Inf", double.PositiveInfinity, 2));
        (x.Sum, x.Count).Should().Be((3.5e-6, 2));
        comments.Should().Equal("# more");
    }

    [Theory]
    [InlineData("# more\n", "# more")]
    [InlineData("# TYPE x histogram\n", "")]
    [InlineData("x histogram", "x counter")]
    [InlineData("\\\\s", "\\s")]
    [InlineData("Back", "\n# HELP x ")]
    [InlineData("# more\n", "# TYPE x histogram\n")]
    [InlineData("# more\n", "# TYPE x_sum histogram\n")]
    [InlineData("le=\"1\"", "le=\"2\",le=\"1\"")]
    [InlineData("le=\"1\"", "")]
    [InlineData("le=\"1\"", "le=\"1\",")]
    [InlineData("le=\"1\"", "le=\"1.\"")]
    [InlineData("le=\"+Inf\"", "le=\"1\"")]
    [InlineData("le=\"+Inf\"", "le=\"0.5\"")]
    [InlineData("le=\"+Inf\"", "le=\"2\"")]
    [InlineData("} 1\n", "} 3\n")]
    [InlineData("} 1\n", "}  1\n")]
    [InlineData("} 1\n", "} -1\n")]
    [InlineData("} 1\n", "} 1.0\n")]
    [InlineData("x_sum", "x_total")]
    [InlineData("x_sum", "y_sum")]
    [InlineData("x_sum", "x")]
    [InlineData("x_count", "x_sum")]
    [InlineData("_count{k=\"a\\\"\\n\"} 2", "_count{k=\"a\\\"\\n\"} 1")]
    [InlineData("k=\"a\\\"\\n\"", "k=\"a\"\"")]
    [InlineData("k=\"a\\\"\\n\"", "k=\"a\\t\"")]
    [InlineData("k=\"a\\\"\\n\"", "__k=\"a\"")]
    [InlineData("k=\"a\\\"\\n\"", "k-l=\"a\"")]
    [InlineData("\n# more", "\n\n# more")]
    [InlineData("# more\n", "x_bucket{k=\"a\\\"\\n\",le=\"1\"} 1\n")]
    public void Invalid_text_is_rejected(string right, string wrong) => FluentActions
        .Invoking(() => ExpositionParser.Parse(Encoding.UTF8.GetBytes(Good.Replace(right, wrong, StringComparison.Ordinal))))
        .Should().Throw<FormatException>();

    [Fact]
    public void Invalid_UTF_8_is_rejected() =>
        FluentActions.Invoking(() => ExpositionParser.Parse([(byte)'#', 0xff, (byte)'\n'])).Should().Throw<ArgumentException>();
}
