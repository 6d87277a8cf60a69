using System.Diagnostics;
using System.Text.Json;

namespace Picollo.Cli.Tests.Stat;

/// <summary>End-to-end tests of <c>picollo stat -p</c> and <c>-I</c>.</summary>
[Trait("Category", "Slow")]
public sealed class StatAttachTests
{
    [FactNeeding(Need.Linux, Need.PerfEvents)]
    public void A_process_is_measured_while_a_command_runs_and_continues()
    {
        using Process process = Process.Start("/bin/sh", ["-c", "while :; do :; done"]);
        try
        {
            ToolRun run = PicolloTool.Run("stat", "--json", "-p", $"{process.Id}", "--", "sh", "-c", "sleep 1; exit 5");

            run.ExitCode.Should().Be(5);
            process.HasExited.Should().BeFalse();
            JsonElement line = Lines(run)[0];
            JsonSchema.OfCommand("stat").ProblemsOf(run.Output).Should().BeEmpty();
            line.GetProperty("command").GetString().Should().Be($"process {process.Id}: /bin/sh -c 'while :; do :; done'");
            line.GetProperty("elapsedNanoseconds").GetInt64().Should().BeGreaterThan(900_000_000);
            line.GetProperty("cpuNanoseconds").GetInt64().Should().BePositive();
            line.GetProperty("maxResidentBytes").GetInt64().Should().BePositive();
            line.GetProperty("minorPageFaults").ValueKind.Should().Be(JsonValueKind.Null);
            Counter(line, "task-clock").Should().BePositive();
        }
        finally
        {
            process.Kill();
        }
    }

    [TheoryNeeding(Need.Linux)]
    [InlineData("kill $process", "0\n")]
    [InlineData("kill -INT $tool", "130\nalive\n")]
    public void The_measurement_ends_with_the_process_and_an_interrupt_does_not_end_the_process(string end, string output)
    {
        using TemporaryFolder folder = new();
        string report = folder.PathOf("report");
        ToolRun run = PicolloTool.RunInShell($"""
            sleep 60 & process=$!
            set -m
            $picollo stat -I 20 -p $process -o '{report}' & tool=$!
            until [ -s '{report}' ]; do sleep 0.02; done
            {end}; wait $tool; echo $?
            kill $process 2> /dev/null && echo alive
            """);

        run.Output.Should().Be(output);
        File.ReadAllText(report).Should().MatchRegex("(?m)^process [0-9]+: sleep 60$").And.MatchRegex("(?m)^elapsed +[0-9.]+ ?m?s$");
    }

    [FactNeeding(Need.Linux)]
    public void A_missing_process_returns_exit_code_1() =>
        PicolloTool.Run("stat", "-p", "2147483647").Should().Be(new ToolRun(1, "", "picollo: There is no process 2147483647; it may have exited.\n"));

    [FactNeeding(Need.Linux, Need.PerfEvents)]
    public void The_intervals_add_up_to_the_run()
    {
        ToolRun run = PicolloTool.Run("stat", "--json", "-e", "task-clock,page-faults", "-I", "20", "-c", "i=0; while [ $i -lt 2000000 ]; do i=$((i + 1)); done");

        JsonSchema.OfCommand("stat").ProblemsOf(run.Output).Should().BeEmpty();
        JsonElement[] intervals = [.. Lines(run).Where(line => KindOf(line) == "interval")];
        JsonElement whole = Lines(run).Single(line => KindOf(line) == "run");
        intervals.Length.Should().BeGreaterThan(1);
        intervals.Sum(interval => interval.GetProperty("lengthNanoseconds").GetInt64())
            .Should().Be(intervals[^1].GetProperty("endNanoseconds").GetInt64());
        foreach (string name in (string[])["task-clock", "page-faults"])
        {
            intervals.Sum(interval => Counter(interval, name)).Should().Be(Counter(whole, name), name);
        }
    }

    [FactNeeding(Need.Linux)]
    public void Intervals_without_a_counter_return_exit_code_1()
    {
        ToolRun run = PicolloTool.Run("stat", "-I", "20", "-e", "nosuch/a/", "--", "echo", "ran");

        (run.ExitCode, run.Output).Should().Be((1, ""));
        run.Error.Should().StartWith("picollo: Intervals require a counter, but none is available: nosuch/a/: ");
    }

    [FactNeeding(Need.Linux, Need.PerfEvents)]
    public void Each_line_of_an_interval_has_a_time_a_value_and_a_name()
    {
        ToolRun run = PicolloTool.Run("stat", "-I", "20", "-e", "task-clock,page-faults", "--", "sleep", "2");

        run.Error.Should().MatchRegex(@"^\n( +[0-9.]+ s +[0-9.]+ [mµn]?s  task-clock( .*)?\n +[0-9.]+ s +[0-9,]+  page-faults( .*)?\n){2,}\nsleep 2\n");
    }

    private static long Counter(JsonElement line, string name) =>
        line.GetProperty("counters").EnumerateArray().Single(counter => counter.GetProperty("name").GetString() == name).GetProperty("value").GetInt64();

    private static string KindOf(JsonElement line) => line.GetProperty("kind").GetString()!;

    private static JsonElement[] Lines(ToolRun run) => [.. run.Output.TrimEnd('\n').Split('\n').Select(line => JsonDocument.Parse(line).RootElement)];
}
