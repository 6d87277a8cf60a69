using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Picollo.Timing;

namespace Picollo.Samples.Tests;

/// <summary>Tests programs that measure. The printed numbers differ between runs, but the structure and the sums do not.</summary>
/// <remarks>These tests run alone. Otherwise, threads of other tests could reuse the indexes of ended threads of the table, and the thread-local
/// histogram would grow.</remarks>
[Collection(Alone.Name)]
public sealed partial class ShapeTests
{
    [Fact]
    public void Scopes_records_one_pause_in_four_units()
    {
        string[] lines = ConsoleOutput.LinesOf(() => Scopes.Run(milliseconds: 20));

        lines[0].Should().Be("##### Histogram summary");
        string[][] rows = MarkdownRows.Of(lines);
        rows[0].Should().Equal("Percentile", "Value", "±", "Count");
        rows.Skip(2).Take(16).Select(row => row[0]).Should().Equal(
            "0", "1", "5", "10", "25", "50", "75", "90", "92.5", "95", "97.5", "99", "99.9", "99.99", "99.999", "100");
        rows.Skip(2).Take(16).Select(row => row[3]).Should().Equal(
            "1", "1", "1", "1", "1", "2", "3", "4", "4", "4", "4", "4", "4", "4", "4", "4");

        // The units differ by a factor of 1,000, so only a pause of 19 s could be confused with the next unit.
        rows.Row("0")[1].ToNumber().Should().BeInRange(19, 19_000, "the shortest is in milliseconds");
        rows.Row("50")[1].ToNumber().Should().BeInRange(19_000, 19_000_000, "the next is in microseconds");
        rows.Row("100")[1].ToNumber().Should().BeGreaterThanOrEqualTo(19_000_000, "the longest is in nanoseconds");
        rows.Row("Precision:")[1..].Should().Equal("0.0977%", "Total:", "4");
    }

    [Fact]
    public void Resolutions_print_a_frequency_or_a_reason_and_steps()
    {
        string[] clock = ConsoleOutput.LinesOf(() => ClockResolution.Run(steps: 10_000));
        string[] cycles = ConsoleOutput.LinesOf(() => CycleResolution.Run(steps: 10_000));

        clock[0].Should().Be($"Stopwatch.Frequency: {Stopwatch.Frequency:N0}");
        cycles[0].Should().MatchRegex(CycleClock.IsCycleCounter ? "^CycleClock.Frequency: [0-9,]+$" : "^CycleClock uses Stopwatch on this machine: .+");
        clock[4].Should().Be($"P50 measurable nanos: {StepsOf(clock) * 1e9 / Stopwatch.Frequency}");
        cycles[4].Should().Be($"P50 measurable picos: {StepsOf(cycles)}");

        static double StepsOf(string[] lines)
        {
            lines.Should().HaveCount(5);
            double[] steps = [.. lines[1..4].Select(line => PercentileLine().Match(line).Groups["value"].Value.ToNumber())];
            steps.Should().BeInAscendingOrder();
            steps[2].Should().BePositive();
            return steps[1];
        }
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Monitoring_prints_a_line_per_second_and_the_lines_add_up_to_the_aggregate()
    {
        string[] lines = ConsoleOutput.LinesOf(() => Monitoring.Run(seconds: 2));

        Match[] seconds = [.. lines.Select(line => MonitoringLine().Match(line)).Where(match => match.Success)];
        seconds.Should().HaveCount(2);
        lines[2].Should().Be("##### Aggregate");
        string[][] rows = MarkdownRows.Of(lines);
        double total = seconds.Sum(match => match.Groups["total"].Value.ToNumber());
        total.Should().BePositive();
        rows.Row("Precision:")[1..].Should().Equal("0.7813%", "Total:", total.ToString("N0", CultureInfo.InvariantCulture));
        rows.Row("Range Min:")[1..].Should().Equal("10,000", "Max:", "30,000");
        double overflow = rows.Any(row => row[0] == "Overflow") ? rows.Row("Overflow")[3].ToNumber() : 0;
        seconds.Sum(match => match.Groups["overflow"].Value.ToNumber()).Should().Be(overflow);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void StaleStore_prints_its_findings_and_histogram_resets_lose_no_race()
    {
        string[] lines = ConsoleOutput.LinesOf(() => StaleStore.Run(TimeSpan.FromSeconds(1.2)));

        lines[0].Should().MatchRegex("^Running for 1.2 seconds\\.+$", "there is a dot for each second");
        lines[1].Should().MatchRegex("^Iterations: [1-9][0-9,]*,000,000$");
        lines[2].Should().MatchRegex("^Bad signs: [0-9,]+$");
        lines[3].Should().MatchRegex("^Max bad seen: ([0-9,]+\\.[0-9]{2}|[0-9.]+E[+][0-9]+|Infinity)$");
        lines[6].Should().MatchRegex("^  an array element, set to 0 +[0-9,]+ of +[0-9,]+");
        lines[7].Should().MatchRegex("^  HdrHistogram.Reset\\(\\) +0 of +[0-9,]*[1-9][0-9,]*$");
        StaleStore.FormatNumber(1_234.5).Should().Be("1,234.50");
        StaleStore.FormatNumber(1.5e300).Should().Be("1.5E+300");
    }

    [Fact]
    public void ResetDuringWrites_detects_counts_that_a_reset_did_not_clear()
    {
        const int resets = 100;
        using CancellationTokenSource stop = new();
        ulong count = 0;
        int reads = 0;

        ResetDuringWrites.Outcome outcome = ResetDuringWrites.Watch(
            record: () => count++,
            reset: () => { }, // clears nothing
            read: () =>
            {
                if (++reads == resets)
                {
                    stop.Cancel();
                }

                return Volatile.Read(ref count);
            },
            stop.Token);

        outcome.Resets.Should().Be(resets);
        outcome.Bad.Should().BeGreaterThanOrEqualTo(resets - 1, "the count can be 0 only before the first reset");
    }

    [Fact]
    public void SingleThreadedTimes_prints_the_lines_of_the_article_for_its_four_ranges()
    {
        string[] lines = ConsoleOutput.LinesOf(() => SingleThreadedTimes.Run(rounds: 1, valueCount: 10_000));

        string[] ranges = ["7716549600", "30000", "NanoScope.OneSecondValue = 1_000_000_000", "long.MaxValue"];
        string[][] articles =
        [
            ["97,588, best time: 2.7", "98,816, best time: 10.7"],
            ["24,004, best time: 3.0", "25,088, best time: 3.5"],
            ["85,572, best time: 2.8", "98,816, best time: 7.0"],
            ["221,300, best time: 2.8", "221,300, best time: 14.6"],
        ];
        lines.Should().HaveCount(2 + (4 * 5));
        for (int i = 0; i < ranges.Length; i++)
        {
            string[] block = lines[(2 + (i * 5))..][..5];
            block[..2].Should().Equal("", $"Max trackable: {ranges[i]}");
            Match ours = BestTimeLine().Match(block[2]);
            ours.Success.Should().BeTrue("'{0}' is in the article's format", block[2]);
            double bytes = articles[i][0].Split(", ")[0].ToNumber();
            ours.Groups["bytes"].Value.ToNumber().Should().BeInRange(
                1_000, bytes * 1.06, "the buckets are those of the article, plus the rest of the last octave that has values");
            block[3..].Should().Equal(
                $"- Picollo, article: footprint {articles[i][0]} ns/ops", $"- Legacy, article: footprint {articles[i][1]} ns/ops");
        }
    }

    [Fact]
    public void ThreadTable_prints_a_row_per_case_and_variant()
    {
        string[] lines = ConsoleOutput.LinesOf(() => ThreadTable.Run(rounds: 1, valueCount: 10_000));

        string[][] table = MarkdownRows.Of(lines);
        table.Should().HaveCount(2 + 12).And.OnlyContain(row => row.Length == table[0].Length);
        string[][] rows = table[2..];
        rows.Select(row => row[0]).Should().Equal([.. Enumerable.Repeat("long.MaxValue", 6), .. Enumerable.Repeat("30000", 6)]);
        rows.Select(row => row[1]).Should().Equal("1", "1", "2", "2", "4", "4", "1", "1", "2", "2", "4", "4");
        foreach (string[] row in rows)
        {
            row[3].ToNumber().Should().BePositive();
            (row[1] != "1" || row[4] == "1.0").Should().BeTrue("the row with one thread is the baseline");
            double threads = row[1].ToNumber();
            double plain = row[0] == "30000" ? 24_004 : 221_300;
            double copies = row[2] == "thread-local" ? threads + 1 : 1;
            row[5].ToNumber().Should().BeLessThanOrEqualTo(copies * plain * 1.06, "the row is {0}", string.Join(' ', row));
        }

        // The article states these ratios: 1.3x and 1.6x, 5.7x and 13x; 4x and 15x.
        rows[2].Should().StartWith(["long.MaxValue", "2", "thread-local"]).And.EndWith(["5.5", "1.0", "663,912", "181.0", "5.7", "225,792"]);
        rows[3].Should().EndWith(["12.1", "1.3", "221,304", "181.0", "5.7", "225,792"]);
        rows[5].Should().EndWith(["14.9", "1.6", "221,304", "408.0", "12.9", "225,792"]);
        rows[11].Should().StartWith(["30000", "4", "interlocked"]).And.EndWith(["38.7", "4.0", "24,008", "446.0", "15.3", "25,088"]);
    }

    [GeneratedRegex(@"^- Picollo: footprint (?<bytes>[0-9,]+), best time: [0-9,]+\.[0-9] ns/ops$")]
    private static partial Regex BestTimeLine();

    [GeneratedRegex(@"^P(0|50|99)=(?<value>[0-9,]+) \[\d+ / \d+\]: \[[0-9,]+, [0-9,]+\) [0-9,]+$")]
    private static partial Regex PercentileLine();

    [GeneratedRegex(
        @"^\d\d:\d\d:\d\d\.\d{3} \| Monitoring: Total=(?<total>[0-9,]+), Overflow=(?<overflow>[0-9,]+), Mean=[0-9,]+\.\d, " +
        @"P0=[0-9,]+, P25=[0-9,]+, P50=[0-9,]+, P90=[0-9,]+, P95=[0-9,]+, P99=[0-9,]+, P999=[0-9,]+, P100=[0-9,]+$")]
    private static partial Regex MonitoringLine();
}
