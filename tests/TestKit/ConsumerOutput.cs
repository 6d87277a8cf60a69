using System.Globalization;

namespace Picollo.TestKit;

/// <summary>What ConsumerApp printed: facts as "name=value", then, after "tables=", the tables.</summary>
internal sealed class ConsumerOutput
{
    private const string TablesMark = "tables=\n";

    private readonly Dictionary<string, string> _facts;

    public ConsumerOutput(string text)
    {
        int tables = text.IndexOf(TablesMark, StringComparison.Ordinal);
        tables.Should().BePositive("the program prints facts and then tables, and here it printed:\n{0}", text);
        _facts = text[..tables].Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Where(line => line.Contains('='))
            .ToDictionary(line => line[..line.IndexOf('=')], line => line[(line.IndexOf('=') + 1)..]);
        Tables = text[(tables + TablesMark.Length)..];
    }

    public string Tables { get; }

    public string this[string fact] => _facts[fact];

    public long Number(string fact) => long.Parse(this[fact], CultureInfo.InvariantCulture);

    /// <summary>Every scope measured in its own unit, the histogram counted on every thread.</summary>
    public void ShouldShowThatScopesAndHistogramsWork()
    {
        foreach (var scope in new[] { "tick-scope", "nano-scope", "micro-scope", "milli-scope", "pico-scope" })
        {
            ShouldBracketTheScope(scope);
        }

        // A pico scope across a suspend or a migration records nothing; there are few of those in a run.
        Number("empty-pico-scopes").Should().BeInRange(199_990, 200_000);
        Number("thread-local-total").Should().Be(40_000);
    }

    /// <summary>A pool of CPU workers gave what was computed, in slices and without, and its count of tasks: 20 and 1 sums, one
    /// that went outside, a loop's two, and one that failed.</summary>
    public void ShouldShowThatThePoolWorks()
    {
        this["pool-sums"].Should().Be("500000");
        Number("pool-outside").Should().Be(1);
        Number("pool-items").Should().Be(500_500);
        this["pool-failure"].Should().Be("thrown on a worker");
        this["pool-ended"].Should().Be("24 of 25, failed: 1");
    }

    /// <summary>The tables of the getting-started sample come out here as they do there.</summary>
    public void ShouldHaveTheTablesOfTheSample() => Tables.Should().Be(File.ReadAllText(
        Path.Combine(Repository.Root, "tests", "Picollo.Samples.Tests", "Golden", "GettingStarted.txt")));

    private void ShouldBracketTheScope(string scope)
    {
        // A part in a thousand for the cycle counter's calibration and the histogram's rounding, one unit for its own.
        const double tolerance = 0.001;
        var readings = this[scope].Split(' ').Select(text => double.Parse(text, CultureInfo.InvariantCulture)).ToArray();
        var (inside, measured, around) = (readings[0], readings[1], readings[2]);
        measured.Should().BeInRange((inside * (1 - tolerance)) - 1, (around * (1 + tolerance)) + 1, scope);
    }
}
