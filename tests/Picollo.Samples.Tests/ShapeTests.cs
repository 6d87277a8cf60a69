using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Picollo.Timing;

namespace Picollo.Samples.Tests;

/// <summary>The programs that measure: what they print differs between runs, its shape and its sums do not.</summary>
/// <remarks>Alone, because other tests' threads would take the numbers of the table's threads that have ended: a thread-local histogram then grows.</remarks>
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

        // Apart by a factor of 1,000: only a pause of 19 s could be taken for the next unit.
        rows.Row("0")[1].ToNumber().Should().BeInRange(19, 19_000, "the shortest is in milliseconds");
        rows.Row("50")[1].ToNumber().Should().BeInRange(19_000, 19_000_000, "the next is in microseconds");
        rows.Row("100")[1].ToNumber().Should().BeGreaterThanOrEqualTo(19_000_000, "the longest is in nanoseconds");
        rows.Row("Precision:")[1..].Should().Equal("0.0977%", "Total:", "4");
    }

    [Fact]
    public void ClockResolution_prints_frequency_and_steps()
    {
        string[] lines = ConsoleOutput.LinesOf(() => ClockResolution.Run(steps: 10_000));

        lines.Should().HaveCount(5);
        lines[0].Should().Be($"Stopwatch.Frequency: {Stopwatch.Frequency:N0}");
        double[] steps = [.. lines[1..4].Select(line => PercentileLine().Match(line).Groups["value"].Value.ToNumber())];
        steps[0].Should().BeGreaterThanOrEqualTo(1, "a step is a change");
        steps.Should().BeInAscendingOrder();
        lines[1..4].Select(line => line.Split('=')[0]).Should().Equal("P0", "P50", "P99");
        lines[4].Should().Be($"P50 measurable nanos: {steps[1] * 1e9 / Stopwatch.Frequency}");
    }

    [Fact]
    public void CycleResolution_prints_the_counter_or_why_there_is_none_and_its_steps()
    {
        string[] lines = ConsoleOutput.LinesOf(() => CycleResolution.Run(steps: 10_000));

        lines.Should().HaveCount(5);
        lines[0].Should().MatchRegex(CycleClock.IsCycleCounter ? "^CycleClock.Frequency: [0-9,]+$" : "^CycleClock is Stopwatch here: .+");
        double[] steps = [.. lines[1..4].Select(line => PercentileLine().Match(line).Groups["value"].Value.ToNumber())];
        steps.Should().BeInAscendingOrder();
        steps[2].Should().BePositive();
        lines[4].Should().Be($"P50 measurable picos: {steps[1]}");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Monitoring_prints_a_line_a_second_and_they_add_up_to_the_aggregate()
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
    public void StaleStore_prints_its_findings_and_no_count_comes_back_into_the_histogram()
    {
        string[] lines = ConsoleOutput.LinesOf(() => StaleStore.Run(TimeSpan.FromSeconds(0.5)));

        lines[0].Should().Be("Running for 0.5 seconds");
        lines[1].Should().MatchRegex("^Iterations: [0-9,]*[1-9][0-9,]*$");
        lines[2].Should().MatchRegex("^Bad signs: [0-9,]+$");
        lines[3].Should().MatchRegex("^Max bad seen: ([0-9.E+]+|Infinity)$");
        lines[6].Should().MatchRegex("^  a bare counter, set to 0 +[0-9,]+ of +[0-9,]+");
        lines[7].Should().MatchRegex("^  HdrHistogram.Reset\\(\\) +0 of +[0-9,]*[1-9][0-9,]*$");
    }

    [Fact]
    public void ResetBesideWriter_sees_counts_that_a_reset_left_behind()
    {
        const int resets = 100;
        using CancellationTokenSource stop = new();
        ulong count = 0;
        int reads = 0;

        ResetBesideWriter.Outcome outcome = ResetBesideWriter.Watch(
            record: () => count++,
            reset: () => { }, // which leaves everything behind
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
        outcome.Bad.Should().BeGreaterThanOrEqualTo(resets - 1, "only before the first may there be nothing yet");
    }

    [Fact]
    public void ThreadTable_prints_a_row_per_case_and_variant()
    {
        string[] lines = ConsoleOutput.LinesOf(() => ThreadTable.Run(rounds: 1, valueCount: 10_000));

        string[][] rows = [.. MarkdownRows.Of(lines).Skip(2)];
        rows.Should().HaveCount(12);
        foreach (string[] row in rows)
        {
            row[3].ToNumber().Should().BePositive();
            double threads = row[1].ToNumber();
            double plain = row[0] == "30000" ? 24_004 : 221_300;
            double copies = row[2] == "thread-local" ? threads + 1 : 1;
            row[4].ToNumber().Should().BeLessThanOrEqualTo(copies * (plain + 64), "of {0}", string.Join(' ', row));
        }

        rows[2].Should().StartWith(["long.MaxValue", "2", "thread-local"]).And.EndWith(["5.5", "663,912", "181.0", "225,792"]);
        rows[11].Should().StartWith(["30000", "4", "interlocked"]).And.EndWith(["38.7", "24,008", "446.0", "25,088"]);
    }

    [GeneratedRegex(@"^P(0|50|99)=(?<value>[0-9,]+) \[\d+ / \d+\]: \[[0-9,]+, [0-9,]+\) [0-9,]+$")]
    private static partial Regex PercentileLine();

    [GeneratedRegex(
        @"^\d\d:\d\d:\d\d\.\d{3} \| Monitoring: Total=(?<total>[0-9,]+), Overflow=(?<overflow>[0-9,]+), Mean=[0-9,]+\.\d, " +
        @"P0=[0-9,]+, P25=[0-9,]+, P50=[0-9,]+, P90=[0-9,]+, P95=[0-9,]+, P99=[0-9,]+, P999=[0-9,]+, P100=[0-9,]+$")]
    private static partial Regex MonitoringLine();
}
