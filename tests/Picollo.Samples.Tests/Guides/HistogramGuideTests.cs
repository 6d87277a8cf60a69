using System.Text.RegularExpressions;
using Picollo.Metrics;
using Picollo.Timing;

namespace Picollo.Samples.Tests.Guides;

/// <summary>Runs the programs of docs/histogram.md and docs/clocks-and-scopes.md.</summary>
[Collection(ConsoleOutput.Collection)]
public sealed partial class HistogramGuideTests
{
    [Fact]
    public void The_first_program_records_each_call()
    {
        HdrHistogram? latency = null;

        ConsoleOutput.Of(() => latency = HistogramGuide.First()).Should().MatchRegex("^[0-9]+\n##### Latency, ns\n");
        latency!.TotalCount.Should().Be(100_000);
    }

    [Fact]
    public void The_comparison_prints_its_comment_and_its_table()
    {
        string[] printed = ConsoleOutput.LinesOf(() => HistogramGuide.Comparing());

        string guide = Markdown.Of("docs/histogram.md").Text;
        guide.Should().Contain("// " + printed[0]);
        string[] shown = [.. TableBlock().Match(guide).Groups[1].Value.Split('\n').Where(line => line is not "" and not "...")];
        shown.Should().HaveCountGreaterThan(10).And.BeSubsetOf(printed);
    }

    [Fact]
    public void The_reads_return_the_values_of_a_uniform_distribution()
    {
        var histogram = HdrHistogram.Factory.WithRelativeError(0.01).Create();
        for (ulong value = 19_000; value < 29_000; value++)
        {
            histogram.Record(value);
        }

        (double withinTarget, ulong inBetween, ulong p999) = default((double, ulong, ulong));
        ConsoleOutput.Of(() => (withinTarget, inBetween, p999) = HistogramGuide.Reading(histogram)).Should().StartWith("P");
        withinTarget.Should().BeApproximately(60, 2);
        inBetween.Should().BeCloseTo(5_000, 300);
        p999.Should().BeCloseTo(29_000, 256);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_live_reads_return_new_records()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(7);
        ConsoleOutput.Of(() => HistogramGuide.Monitoring(histogram)).Should().Contain("requests: Total=0");

        using CancellationTokenSource end = new(TimeSpan.FromSeconds(2));
        await FluentActions.Awaiting(() => HistogramGuide.LastMinuteAsync(histogram, end.Token)).Should().ThrowAsync<OperationCanceledException>();
    }

    [Fact]
    public void The_scopes_record_and_the_ticks_convert()
    {
        HdrHistogram? parsing = null;
        ConsoleOutput.Of(() => parsing = ClocksGuide.Scopes()).Should().MatchRegex(@"^[0-9,.]+ ns\n$");
        parsing!.TotalCount.Should().BePositive().And.BeLessThanOrEqualTo(10_000, "an interval across a migration is not recorded");
        ClocksGuide.Ticks().Should().BePositive();
        ConsoleOutput.Of(ClocksGuide.CounterOrReason).Should().Be((CycleClock.UnavailableReason ?? "The CPU's counter is used.") + "\n");
    }

    [GeneratedRegex("```\n(##### Getting started\n.*?)```", RegexOptions.Singleline)]
    private static partial Regex TableBlock();
}
