using System.Text.RegularExpressions;
using Picollo.Metrics;

namespace Picollo.Samples.Tests;

/// <summary>What the README shows is what the library does.</summary>
public sealed partial class ReadmeTests
{
    private static readonly string Readme = Resource("README.md");

    [Fact]
    public void Every_code_block_is_compiled_in_ReadmeSamples()
    {
        string compiled = Normalized(Resource("ReadmeSamples.cs"));
        List<string> blocks = [.. CodeBlock().Matches(Readme).Select(match => match.Groups[1].Value)];

        blocks.Should().HaveCountGreaterThan(3);
        blocks.Should().OnlyContain(block => compiled.Contains(Normalized(block), StringComparison.Ordinal));
    }

    [Fact]
    public void The_first_minute_prints_what_its_comment_and_its_table_say()
    {
        string[] printed = ConsoleOutput.Of(() => ReadmeSamples.FirstMinute()).Split('\n');

        Readme.Should().Contain("// " + printed[0]);
        string[] shown = [.. TableBlock().Match(Readme).Groups[1].Value.Split('\n').Where(line => line is not "" and not "...")];
        shown.Should().HaveCountGreaterThan(10).And.BeSubsetOf(printed);
    }

    [Fact]
    public void The_reading_examples_answer()
    {
        var histogram = HdrHistogram.Factory.WithRelativeError(0.01).Create();
        for (ulong value = 19_000; value < 29_000; value++)
        {
            histogram.Record(value);
        }

        (double withinTarget, ulong inBetween, ulong p999) = default((double, ulong, ulong));
        ConsoleOutput.Of(() => (withinTarget, inBetween, p999) = ReadmeSamples.Reading(histogram)).Should().StartWith("P");
        withinTarget.Should().BeApproximately(60, 2);
        inBetween.Should().BeCloseTo(5_000, 300);
        p999.Should().BeCloseTo(29_000, 256);
    }

    [Fact]
    public void The_opening_and_the_monitoring_examples_run()
    {
        HdrHistogram? histogram = null;
        ConsoleOutput.Of(() => histogram = ReadmeSamples.Opening()).Should().StartWith("##### Latency, ns");
        histogram!.TotalCount.Should().Be(1);
        ConsoleOutput.Of(() => ReadmeSamples.Monitoring(histogram)).Should().Contain("requests: Total=0");
    }

    private static string Normalized(string code) => string.Join(
        '\n', code.Split('\n').Select(line => line.Trim()).Where(line => line.Length > 0 && !line.StartsWith("using Picollo", StringComparison.Ordinal)));

    private static string Resource(string name)
    {
        using Stream stream = typeof(ReadmeTests).Assembly.GetManifestResourceStream(name)!;
        using StreamReader reader = new(stream);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex CodeBlock();

    [GeneratedRegex("```\n(##### .*?)```", RegexOptions.Singleline)]
    private static partial Regex TableBlock();
}
