using System.Text;
using System.Text.RegularExpressions;
using Picollo.Samples.Tokenizer;

namespace Picollo.Samples.Tests.Tokenizer;

public sealed class TokenizerTests : IDisposable
{
    private const int LineCount = 10_000; // more than two chunks, and not a multiple of the chunk size

    // In addition to separators and ASCII: letters with a special lower case or outside the basic plane, half a surrogate pair,
    // an underscore, and white space that is not a separator.
    private const string Letters = LineTokenizer.Separators + "aAbBzZ09__ÄäÉßİıΣσςЖж\u00A0\u2028中\U00010400\U00010428\uD801\0";

    private static readonly Corpus SmallCorpus = new(
        "nowhere", 1, 1_000_000, [.. Enumerable.Range(0, LineCount).Select(i => $"<line number=\"{i % 97}\">The text of a line</line>")]);

    private readonly string _root = Directory.CreateTempSubdirectory("picollo-packs-").FullName;

    public void Dispose() => Directory.Delete(_root, recursive: true);

    [Fact]
    [Trait("Category", "Slow")]
    public void The_demo_prints_every_table_and_times_every_line_of_every_timed_round()
    {
        const int rounds = 2;
        using StringWriter output = new();

        bool equal = new Demo(SmallCorpus, threads: 3, rounds, Split(), Span(), output).Run();

        equal.Should().BeTrue();
        string[] lines = output.ToString().ReplaceLineEndings("\n").Split('\n');
        lines.Should().Contain("'split' and 'span' agree: 90,000 tokens, 103 distinct.");
        lines.Should().Contain("Most frequent: 'line' 30,000, 'a' 10,000, 'number' 10,000, 'of' 10,000.");
        lines.Where(line => line.StartsWith('#')).Should().Equal(
            "##### Time of a line with 'split', ns", "##### Time of a line with 'span', ns", "##### Time of a line, before and after, ns",
            "##### Throughput of all threads without scopes, median round", "##### Measurement overhead, ns of a thread per line");
        string total = (rounds * LineCount).ToString("N0", null);
        string[][] rows = MarkdownRows.Of(lines);
        rows.Count(row => row[0] == "Precision:" && row[^1] == total).Should().Be(2, "each table counts each line once per round");
        rows.Should().ContainSingle(row => row[0] == "D-value:");
        lines.Should().ContainSingle(line => Regex.IsMatch(line, "^machine increase. For lines that took at most [0-9,]+ ns [(]p99.9 of 'split'[)], the D-value is -?[0-9.]+[.]$"));
        lines.Should().ContainSingle(line => Regex.IsMatch(line, "^On this machine, an empty NanoScope takes [0-9.,]+ ns, and an empty PicoScope [0-9.,]+ ns[.]$"));
        foreach (string[] row in from name in (string[])["split", "span"] from cost in (string[])["median round", "fastest round", "undisturbed"] select rows.Row($"{name}, {cost}"))
        {
            row[1..3].Should().OnlyContain(cell => cell.ToNumber() > 0);
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
            .EndWith("'split' and 'wrong' do not agree: 'text' was counted 10,000 times and 0 times.").And.NotContain("Percentile");
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void A_pass_takes_each_line_once(int threads)
    {
        string[] lines = [.. Enumerable.Range(0, LineCount).Select(i => $"line{i}")];
        Implementation span = Span();

        TokenCounts counts = span.RunTimed(lines, threads);

        (counts.DistinctCount, counts.TotalCount).Should().Be((LineCount, LineCount));
        span.LineNanoseconds.TotalCount.Should().Be(LineCount);
        span.RunBare(lines, threads).FirstDifference(counts).Should().BeNull();
        span.LineNanoseconds.TotalCount.Should().Be(LineCount, "a pass without scopes records nothing");
    }

    [Fact]
    public void Both_tokenizers_count_random_text_like_a_reference_that_reads_letter_by_letter() => Seeded.Run(1, random =>
    {
        SplitTokenizer split = new();
        SpanTokenizer span = new();
        Dictionary<string, int> expected = [];
        string[] lines = ["the The THE", "", " .,;", .. ((int[])[1_023, 1_024, 1_025, 5_000]).Select(length => new string('X', length - 5) + " tail")];
        foreach (string line in lines.Concat(Enumerable.Range(0, 3_000).Select(_ => RandomLine(random))))
        {
            split.Count(line);
            span.Count(line);
            CountByDefinition(line, expected);
        }

        expected["the"].Should().BeGreaterThanOrEqualTo(3);
        split.Counts.Should().Equal(expected);
        span.Counts.Should().Equal(expected);
    });

    [Fact]
    public void The_span_tokenizer_allocates_nothing_for_known_tokens()
    {
        SpanTokenizer span = new();
        string[] lines = [.. Enumerable.Range(0, 1_000).Select(i => $"    <param name=\"p{i}\">The <see cref=\"T:N{i}.Type\"/>.</param>")];
        CountAll();
        long[] allocated = [.. Enumerable.Range(0, 10).Select(_ => CountAll())];

        // The minimum, because the runtime can allocate when it replaces the code by optimized code.
        allocated.Min().Should().Be(0, "the allocations are {0}", string.Join(", ", allocated));

        long CountAll()
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            foreach (string line in lines)
            {
                span.Count(line);
            }

            return GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }

    [Fact]
    public void Times_of_passes_are_summarized()
    {
        PassTimes times = new(), chunks = new();
        foreach (double nanoseconds in (double[])[100, 40, 120, 110])
        {
            times.Add(new Pass(nanoseconds, [nanoseconds], 0, new TokenCounts()));
        }

        chunks.Add(new Pass(0, [10, 900, 30], 0, new TokenCounts()));
        chunks.Add(new Pass(0, [800, 20, 31], 0, new TokenCounts()));

        (times.Median, times.Minimum).Should().Be((105, 40));
        times.RelativeDeviation.Should().Be(10 / 105.0, "the deviations are 5, 65, 15 and 5");
        chunks.SumOfFastestChunks.Should().Be(60);
    }

    [Fact]
    public void The_newest_version_of_each_pack_in_the_first_root_with_documentation_is_used()
    {
        foreach (string path in new[]
        {
            "A.Ref/9.0.11/ref/net9.0/Old.xml", "A.Ref/10.0.0-rc.2.1/ref/net10.0/Preview.xml", "A.Ref/10.0.0/ref/net10.0/Second.xml",
            "A.Ref/10.0.0/ref/net10.0/First.xml", "A.Ref/10.0.0/ref/net10.0/First.dll", "A.Ref/10.0.0/data/Other.xml",
            "B.Ref/8.0.1/ref/net8.0/Third.xml", "C.Host/10.0.0/ref/net10.0/NoPack.xml",
        })
        {
            string file = Path.Combine(_root, "packs", path);
            Directory.CreateDirectory(Path.GetDirectoryName(file)!);
            File.WriteAllText(file, "<doc />");
        }

        string without = Path.Combine(_root, "without");
        Directory.CreateDirectory(Path.Combine(without, "packs/A.Ref/10.0.0/ref/net10.0"));
        ReferencePacks.Find([Path.Combine(_root, "missing"), without, _root])!.Value.Files.Select(file => Path.GetFileName(file))
            .Should().Equal("First.xml", "Second.xml", "Third.xml");
        ReferencePacks.Find([without]).Should().BeNull();
        ReferencePacks.CandidateRoots().Should().Contain(
            Path.GetFullPath(Path.Combine(Path.GetDirectoryName(typeof(object).Assembly.Location)!, "../../..")), "it is the dotnet of this process");
    }

    private static Implementation Split() => new("split", () => new SplitTokenizer());

    private static Implementation Span() => new("span", () => new SpanTokenizer());

    private static string RandomLine(Random random)
    {
        // Mostly short lines, some longer than the buffer. With few different letters, tokens repeat.
        int length = random.Next(20) == 0 ? random.Next(3_000) : random.Next(30);
        ReadOnlySpan<char> letters = random.Next(2) == 0 ? Letters : "aB. ";
        return new string(random.GetItems(letters, length));
    }

    private static void CountByDefinition(string line, Dictionary<string, int> counts)
    {
        StringBuilder token = new();
        foreach (char letter in line + ' ')
        {
            if (!LineTokenizer.Separators.Contains(letter))
            {
                token.Append(letter);
            }
            else if (token.Length > 0)
            {
                string lower = token.ToString().ToLowerInvariant();
                counts[lower] = counts.GetValueOrDefault(lower) + 1;
                token.Clear();
            }
        }
    }

    /// <summary>Counts all words except one.</summary>
    private sealed class ForgetfulTokenizer : LineTokenizer
    {
        public override void Count(string line)
        {
            CountByDefinition(line, Counts);
            Counts.Remove("text");
        }
    }
}
