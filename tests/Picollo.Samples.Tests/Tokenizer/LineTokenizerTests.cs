using System.Text;
using Picollo.Samples.Tokenizer;

namespace Picollo.Samples.Tests.Tokenizer;

/// <summary>Compares both tokenizers with a reference implementation that reads letter by letter.</summary>
public sealed class LineTokenizerTests
{
    // In addition to separators and ASCII: letters with a special lower case or outside the basic plane, half a surrogate pair,
    // an underscore, and white space that is not a separator.
    private const string Letters = LineTokenizer.Separators + "aAbBzZ09__ÄäÉßİıΣσςЖж\u00A0\u2028中\U00010400\U00010428\uD801\0";

    [Fact]
    public void Tokens_are_sequences_without_separators_in_lower_case()
    {
        foreach (LineTokenizer tokenizer in (LineTokenizer[])[new SplitTokenizer(), new SpanTokenizer()])
        {
            tokenizer.Count("    <member name=\"M:System.String.IndexOf_any(System.Char[])\">");
            tokenizer.Count("the The THE");
            tokenizer.Count("");
            tokenizer.Count(" .,;");

            tokenizer.Counts.Should().BeEquivalentTo(new Dictionary<string, int>
            {
                ["member"] = 1,
                ["name"] = 1,
                ["m"] = 1,
                ["system"] = 2,
                ["string"] = 1,
                ["indexof_any"] = 1,
                ["char"] = 1,
                ["the"] = 3,
            });
        }
    }

    [Fact]
    public void Both_tokenizers_count_random_text_like_the_reference()
    {
        int seed = Environment.TickCount;
        Random random = new(seed);
        SplitTokenizer split = new();
        SpanTokenizer span = new();
        Dictionary<string, int> expected = [];
        for (int i = 0; i < 3_000; i++)
        {
            string line = RandomLine(random);
            split.Count(line);
            span.Count(line);
            CountByDefinition(line, expected);
        }

        expected.Should().NotBeEmpty();
        split.Counts.Should().Equal(expected, "seed {0}", seed);
        span.Counts.Should().Equal(expected, "seed {0}", seed);
    }

    [Fact]
    public void Lines_longer_than_the_buffer_are_counted_completely()
    {
        SpanTokenizer span = new();
        foreach (int length in (int[])[1_023, 1_024, 1_025, 5_000])
        {
            span.Count(new string('X', length) + " tail");
        }

        span.Counts["tail"].Should().Be(4);
        span.Counts.Keys.Select(token => token.Length).Should().BeEquivalentTo([1_023, 1_024, 1_025, 5_000, 4]);
    }

    [Fact]
    public void The_span_tokenizer_allocates_nothing_for_known_tokens()
    {
        SpanTokenizer span = new();
        string[] lines = [.. Enumerable.Range(0, 1_000).Select(i => $"    <param name=\"p{i}\">The <see cref=\"T:N{i}.Type\"/>.</param>")];
        CountAll();
        long[] allocated = [.. Enumerable.Range(0, 10).Select(_ => CountAll())];

        // The minimum, because the runtime can allocate when it replaces the code by optimized code.
        allocated.Min().Should().Be(0, "the allocations are {0}", string.Join(", ", allocated));
        span.Counts["the"].Should().Be(11_000);

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
}
