using System.Text.RegularExpressions;
using Picollo.Samples.Tokenizer;

namespace Picollo.Samples.Tests.Tokenizer;

public sealed class DemoTests
{
    private const int LineCount = 10_000; // more than two chunks, and not a multiple of the chunk size

    private static readonly Corpus SmallCorpus = new(
        "nowhere", 1, 1_000_000, [.. Enumerable.Range(0, LineCount).Select(i => $"<line number=\"{i % 97}\">The text of a line</line>")]);

    private static readonly string[] ExpectedHeadings =
    [
        "##### Time of a line with 'split', ns",
        "##### Time of a line with 'span', ns",
        "##### Time of a line, before and after, ns",
        "##### Throughput of all threads without scopes, median round",
        "##### Measurement overhead, ns of a thread per line",
    ];

    [Fact]
    public void The_demo_prints_every_table_and_times_every_line_of_every_timed_round()
    {
        const int rounds = 2;
        using StringWriter output = new();

        bool equal = new Demo(SmallCorpus, threads: 3, rounds, Split(), Span(), output).Run();

        equal.Should().BeTrue();
        string[] lines = output.ToString().ReplaceLineEndings("\n").Split('\n');
        lines.Should().Contain("'split' and 'span' agree: 90,000 tokens, 103 distinct.");
        lines.Should().Contain("Most frequent: 'line' 30,000, 'a' 10,000, 'number' 10,000, 'of' 10,000.");
        lines.Where(line => line.StartsWith('#')).Should().Equal(ExpectedHeadings);
        string total = (rounds * LineCount).ToString("N0", null);
        MarkdownRows.Of(lines).Count(row => row[0] == "Precision:" && row[^1] == total).Should().Be(2, "each table counts each line once per round");
        MarkdownRows.Of(lines).Should().ContainSingle(row => row[0] == "D-value:");
        lines.Should().ContainSingle(line => Regex.IsMatch(line, "^machine increase. For lines that took at most [0-9,]+ ns [(]p99.9 of 'split'[)], the D-value is -?[0-9.]+[.]$"));
        lines.Should().ContainSingle(line => Regex.IsMatch(line, "^On this machine, an empty NanoScope takes [0-9.,]+ ns, and an empty PicoScope [0-9.,]+ ns[.]$"));
        string[] costs = [.. from name in (string[])["split", "span"] from row in (string[])["median round", "fastest round", "undisturbed"] select $"{name}, {row}"];
        foreach (string cost in costs)
        {
            string[] row = MarkdownRows.Of(lines).Row(cost);
            row[1].ToNumber().Should().BePositive();
            row[2].ToNumber().Should().BePositive();
            (row[2].ToNumber() - row[1].ToNumber()).Should().BeApproximately(row[3].ToNumber(), 0.11, "the cost is the difference");
        }
    }

    [Fact]
    public void Implementations_that_count_differently_end_the_demo()
    {
        using StringWriter output = new();
        Implementation wrong = new("wrong", () => new ForgetfulTokenizer());

        bool equal = new Demo(SmallCorpus, threads: 2, rounds: 1, Split(), wrong, output).Run();

        equal.Should().BeFalse();
        output.ToString().TrimEnd().Should()
            .EndWith("'split' and 'wrong' do not agree: 'text' was counted 10,000 times and 0 times.")
            .And.NotContain("Percentile");
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void A_pass_takes_each_line_once(int threads)
    {
        string[] lines = [.. Enumerable.Range(0, LineCount).Select(i => $"line{i}")];
        Implementation span = Span();

        TokenCounts counts = span.RunTimed(lines, threads);

        counts.DistinctCount.Should().Be(LineCount);
        counts.TotalCount.Should().Be(LineCount);
        span.LineNanoseconds.TotalCount.Should().Be(LineCount);
        span.RunBare(lines, threads).FirstDifference(counts).Should().BeNull();
        span.LineNanoseconds.TotalCount.Should().Be(LineCount, "a pass without scopes records nothing");
    }

    [Fact]
    public void The_first_difference_is_found_on_either_side()
    {
        TokenCounts one = new();
        one.Add(new Dictionary<string, int> { ["a"] = 1, ["c"] = 2 });
        TokenCounts other = new();
        other.Add(new Dictionary<string, int> { ["a"] = 1, ["b"] = 3, ["c"] = 1 });

        one.FirstDifference(other).Should().Be("'b' was counted 0 times and 3 times");
        other.FirstDifference(one).Should().Be("'b' was counted 3 times and 0 times");
        one.FirstDifference(one).Should().BeNull();
    }

    private static Implementation Split() => new("split", () => new SplitTokenizer());

    private static Implementation Span() => new("span", () => new SpanTokenizer());

    /// <summary>Counts all words except one.</summary>
    private sealed class ForgetfulTokenizer : LineTokenizer
    {
        private static readonly char[] Separator = Separators.ToCharArray();

        public override void Count(string line)
        {
            foreach (string token in line.ToLowerInvariant().Split(Separator, StringSplitOptions.RemoveEmptyEntries))
            {
                Counts[token] = Counts.GetValueOrDefault(token) + 1;
            }

            Counts.Remove("text");
        }
    }
}
