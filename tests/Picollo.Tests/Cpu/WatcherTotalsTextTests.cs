using System.Diagnostics;
using System.Globalization;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>The text and the numbers of the segments of <see cref="CpuUsageAsyncWatcher.Totals"/>.</summary>
public sealed class WatcherTotalsTextTests
{
    private static readonly CpuFlowSegment[] Segments =
    [
        Item(milliseconds: 10, new CpuUsage(8_900_000, 70_000)),
        Item(milliseconds: 1_000, new CpuUsage(30_000, 0)),
        Item(milliseconds: 0, new CpuUsage(1_000, 0)),
    ];

    [Fact]
    public void A_segment_has_its_duration_in_seconds_and_its_share_of_a_CPU()
    {
        Segments[0].Duration.Should().Be(TimeSpan.FromMilliseconds(10));
        Segments[0].CpuShare.Should().BeApproximately(0.897, 1e-12);
        Segments[2].Duration.Should().Be(TimeSpan.Zero);
        Segments[2].CpuShare.Should().Be(0, "a segment of zero length has the share 0, not infinity");
        default(CpuFlowSegment).CpuShare.Should().Be(0);
    }

    [Fact]
    public void The_table_has_a_line_for_each_segment_in_any_culture() => InAnotherCulture(() =>
    {
        Lines(SegmentTable.Format(Segments, 2, "a request")).Should().Equal(
            "CPU usage of a request: 9.001 ms (user 8.931 ms, kernel 0.070 ms); thread switches:",
            "  #  duration, ms  CPU, ms  user, ms  kernel, ms  CPU share",
            "  1        10.000    8.970     8.900       0.070      89.7%",
            "  2      1000.000    0.030     0.030       0.000       0.0%",
            "  3         0.000    0.001     0.001       0.000       0.0%",
            "");
        Segments[0].ToString().Should().Be("10.000 ms, CPU 89.7 %: 8.970 ms (user 8.900 ms, kernel 0.070 ms)");
    });

    [Fact]
    public void Columns_are_as_wide_as_their_widest_cell()
    {
        string[] lines = Lines(SegmentTable.Format([.. Enumerable.Repeat(Item(100_000_000_000, new CpuUsage(123_456_789_000_000_000, 0)), 12)], indent: 0, ""));

        lines[1..^1].Select(line => line.Length).Distinct().Should().ContainSingle();
        lines[2].Should().StartWith(" 1  100000000000.000  123456789000.000  ");
        lines[13].Should().StartWith("12  ");
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    public void Without_a_description_the_first_line_has_no_name(string? description) =>
        Lines(SegmentTable.Format(Segments, 4, description))[..2].Should().Equal(
            "CPU usage: 9.001 ms (user 8.931 ms, kernel 0.070 ms); thread switches:",
            "    #  duration, ms  CPU, ms  user, ms  kernel, ms  CPU share");

    [Fact]
    public void A_watcher_prints_its_own_list()
    {
        var watcher = new CpuUsageAsyncWatcher(listSwitches: true);
        watcher.Stop();

        watcher.ToHumanString(1, "x").Should().Be(SegmentTable.Format(watcher.Totals, 1, "x")).And.StartWith("CPU usage of x: ");
        Lines(watcher.ToHumanString()).Should().HaveCount(4);
    }

    [Fact]
    public void A_negative_indent_is_rejected() =>
        FluentActions.Invoking(() => new CpuUsageAsyncWatcher(listSwitches: true).ToHumanString(-1))
            .Should().Throw<ArgumentOutOfRangeException>().WithParameterName("indent");

    private static CpuFlowSegment Item(long milliseconds, CpuUsage usage) =>
        new(milliseconds * (Stopwatch.Frequency / 1_000), usage);

    private static string[] Lines(string text) => text.Split(Environment.NewLine);

    private static void InAnotherCulture(Action action)
    {
        CultureInfo culture = CultureInfo.CurrentCulture;
        try
        {
            CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NumberDecimalSeparator = ",", NegativeSign = "minus" } };
            action();
        }
        finally
        {
            CultureInfo.CurrentCulture = culture;
        }
    }
}
