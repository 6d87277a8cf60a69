using Version01App;

namespace Picollo.Samples.Tests;

/// <summary>Tests that the programs of Picollo v0.1 in tests/Version01App compile and have the same results.</summary>
[Collection(ConsoleOutput.Collection)]
public sealed class Version01Tests
{
    [Fact]
    public void Histograms_scopes_and_snapshots_print_the_same_results() => ConsoleOutput.Of(HistogramProgram.Run).Should().Be(
        """
        plain: 4 values, reused True
        interlocked: 4 values, reused True
        thread-local: 4 values, reused True
        in range: 1, overflow: 2
        scopes: 5, elapsed in order: True
        ticks: 1000000000, 1000000000
        seconds: 1000000000, 1000000, 1000, True
        snapshot: 1 of 2, copy: 1
        time: Utc, True

        """);

    [Fact]
    public void Percentiles_buckets_and_tables_print_the_same_results()
    {
        string[] lines = ConsoleOutput.LinesOf(ReadingProgram.Run);

        int tables = Array.IndexOf(lines, "##### Histogram summary");
        lines[..tables].Should().Equal(
            "lower bounds: 1488 1888 1984",
            "upper bound: 1503",
            "interpolated: 1499",
            "default: 1496",
            "P20: 200 of 200, before 184",
            "selection: True",
            "percentiles: 16, True",
            "buckets: 64 and 64 of 3776",
            "bucket: 1488 to 1503, middle 1496, next 1504, 16 values",
            "valid: True, False, overflow: False",
            "a default enumerable throws");
        lines[tables..].Where(line => line.StartsWith("#####", StringComparison.Ordinal))
            .Should().Equal("##### Histogram summary", "##### Values", "##### Same", "##### Histogram diff");
        lines.Where(line => line.StartsWith("| Mean:", StringComparison.Ordinal)).Last().Split('|', StringSplitOptions.TrimEntries)
            .Should().Equal("", "Mean:", "0.00", "0.00", "+0.0%", "");
    }

    [Fact]
    public void Counters_count_and_a_thread_can_be_prepared()
    {
        string[] lines = ConsoleOutput.LinesOf(CounterProgram.Run);

        lines[..3].Should().Equal("target: 0, 0 to 5", "moved: False", "clock: True, thread: True");
        if (lines is [_, _, _, "no counters"])
        {
            PerfEvent.PerfEventCounterSession.IsSupported.Should().BeFalse();
            return;
        }

        lines[3..^2].Should().Equal(
            "nonsense: False, False", "pid: True, cpu: -1, no RDPMC without times: True", "same: True, True", "only one: Software", "missing: True, True",
            "delta: True, True, True, True", "times: True, True", "recorded: 1", "reset: 0, 0");
        lines[^2].Should().MatchRegex("^hardware: (9|Hardware.*perf_event_open.*)$");
        lines[^1].Should().Be("before the session: Hardware:CpuCycles 0 True");
    }
}
