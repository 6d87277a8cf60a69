using System.Globalization;

namespace Picollo.TestKit;

/// <summary>The output of ConsumerApp: facts as "name=value", then the tables, after "tables=".</summary>
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

    /// <summary>Asserts that every scope measured in its own unit and that the histogram counted on every thread.</summary>
    public void ShouldShowThatScopesAndHistogramsWork()
    {
        foreach (var scope in new[] { "tick-scope", "nano-scope", "micro-scope", "milli-scope", "pico-scope" })
        {
            ShouldBracketTheScope(scope);
        }

        // A PicoScope that spans a suspend or a migration records nothing; a run has few of these.
        Number("empty-pico-scopes").Should().BeInRange(199_990, 200_000);
        Number("thread-local-total").Should().Be(40_000);
    }

    /// <summary>Asserts that a pool of CPU workers returned the results, with and without slices, and its task count: 20 and 1 sums, one
    /// task that left the pool, two of a loop, and one that failed.</summary>
    public void ShouldShowThatThePoolWorks()
    {
        this["pool-sums"].Should().Be("500000");
        Number("pool-outside").Should().Be(1);
        Number("pool-items").Should().Be(500_500);
        this["pool-failure"].Should().Be("thrown on a worker");
        this["pool-ended"].Should().Be("24 of 25, failed: 1");
    }

    /// <summary>Asserts that the tables are equal to those of the getting-started sample.</summary>
    public void ShouldHaveTheTablesOfTheSample() => Tables.Should().Be(File.ReadAllText(
        Path.Combine(Repository.Root, "tests", "Picollo.Samples.Tests", "Golden", "GettingStarted.txt")));

    private void ShouldBracketTheScope(string scope)
    {
        // The tolerance is 0.1 % for the calibration of the cycle counter and the rounding of the histogram, plus one unit for the scope's
        // own rounding.
        const double tolerance = 0.001;
        var readings = this[scope].Split(' ').Select(text => double.Parse(text, CultureInfo.InvariantCulture)).ToArray();
        var (inside, measured, around) = (readings[0], readings[1], readings[2]);
        measured.Should().BeInRange((inside * (1 - tolerance)) - 1, (around * (1 + tolerance)) + 1, scope);
    }
}
