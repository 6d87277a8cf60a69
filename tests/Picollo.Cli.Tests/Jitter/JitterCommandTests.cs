using System.Text.Json;
using System.Text.RegularExpressions;

namespace Picollo.Cli.Tests.Jitter;

/// <summary>End-to-end tests of <c>picollo jitter</c>.</summary>
public sealed partial class JitterCommandTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Lines_and_percentiles_are_printed_at_the_end_without_escape_sequences()
    {
        ToolRun run = PicolloTool.Run("jitter", "-a", "0", "-l", "200");

        run.ExitCode.Should().Be(0);
        run.Output.Should().MatchRegex(@"^affinity: 0 = 1 \[0x1\]\nT: 0 \( *[0-9]+\) A: 0 C:       200 Min: +[1-9][0-9]* Avg: *[0-9.]+ Max: *[0-9]+\n\nus +p50 +p90 +p99 +p99.9 +p99.99 +max\nCPU 0( +([0-9.]+|-)){6}\n$");
        run.Output.Should().NotContain("\e").And.NotContain("\r");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Verbose_output_to_a_pipe_has_a_block_per_second_and_zeros_before_the_first_wake_up()
    {
        ToolRun run = PicolloTool.Run("jitter", "-v", "-a", "0", "-i", "1s", "-D", "2");

        run.ExitCode.Should().Be(0);
        MatchCollection lines = Line().Matches(run.Output);
        lines.Count.Should().BeInRange(3, 4);
        lines[0].Value.Should().EndWith("C:         0 Min:         0 Avg:    0.00 Max:         0");
        lines[^1].Groups["count"].Value.Should().Be("2");
        run.Output.Should().NotContain("\e").And.NotContain("\r").And.NotContainEquivalentOf("nan");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Times_with_units_and_with_default_units_are_equivalent()
    {
        string[][] all = [["-i", "2000", "-D", "1"], ["-i", "2ms", "-D", "1s"], ["-N", "-i", "2000000", "-D", "1000ms"]];
        ToolRun[] runs = [.. all.AsParallel().WithDegreeOfParallelism(all.Length).Select(options => PicolloTool.Run(["jitter", "--json", "-a", "0x1", .. options]))];
        foreach (ToolRun run in runs)
        {
            JsonElement summary = JitterJsonTests.Lines(run.Output)[^1];

            summary.GetProperty("intervalNanoseconds").GetInt64().Should().Be(2_000_000);
            summary.GetProperty("count").GetInt64().Should().Be(500);
        }
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Json_conforms_to_the_schema_and_percentiles_ascend()
    {
        ToolRun run = PicolloTool.Run("jitter", "-v", "--json", "-a", "0", "-D", "1200ms", "-c", "exit 4");

        JsonSchema.OfCommand("jitter").ProblemsOf(run.Output).Should().BeEmpty();
        JsonElement[] lines = JitterJsonTests.Lines(run.Output);
        lines.Select(JitterJsonTests.KindOf).Should().Contain(["status", "note"]);
        lines[^2..].Select(JitterJsonTests.KindOf).Should().Equal("cpu", "summary");
        lines.Where(line => JitterJsonTests.KindOf(line) == "note").Select(line => line.GetProperty("text").GetString())
            .Should().Contain(text => text!.StartsWith("the load exited with code 4 after ", StringComparison.Ordinal));
        lines[^1].GetProperty("percentiles").EnumerateArray().Select(one => one.GetProperty("nanoseconds").GetInt64()).Should().BeInAscendingOrder().And.OnlyContain(value => value > 0);
        lines[^1].GetProperty("command").GetString().Should().Be("exit 4");
        run.Error.Should().BeEmpty();
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_latency_above_the_limit_ends_the_measurement()
    {
        // As root, the command would stop the trace of this machine, so it runs in a namespace without tracefs.
        ToolRun run = PicolloTool.RunInShell("""
            [ "$(id -u)" != 0 ] || hidden='unshare --mount sh -c "umount -q /sys/kernel/tracing; umount -q /sys/kernel/debug/tracing; umount -q /sys/kernel/debug; exec $picollo \"\$@\"" sh'
            eval "${hidden:-$picollo} jitter -N -b 100 -D 1m -a 0"
            """);

        run.ExitCode.Should().Be(0);
        run.Output.Should().MatchRegex(@"\n\nstopped by a latency of [0-9]+ ns on CPU 0;\sthe\skernel's\strace\sis\snot\smarked\sand\sis\snot\sstopped:\s\S");
    }

    [FactNeeding(Need.Linux, Need.Root, Need.Unshare)]
    [Trait("Category", "Slow")]
    public void A_break_marks_and_stops_the_trace()
    {
        // Replaces the files of the kernel in a mount namespace that exists only as long as the process.
        ToolRun run = PicolloTool.RunInShell("""
            unshare --mount sh -ec 'mount -t tmpfs tmpfs /sys/kernel/tracing; cd /sys/kernel/tracing; : > trace_marker; echo 1 > tracing_on
              $picollo jitter -N -b 100 -D 1m -a 0; cat trace_marker tracing_on
              echo 1 > tracing_on; $picollo jitter --json -b 100ns -D 1m -a 0'
            """);

        (run.ExitCode, run.Output.Contains('\e', StringComparison.Ordinal)).Should().Be((0, false));
        run.Output.Should().MatchRegex(@"\n\nstopped by a latency of ([0-9]+) ns on CPU 0;\sthe\skernel's\strace\sis\smarked\sand\sis\sstopped\npicollo jitter: CPU 0: latency \1 ns\n0\n");
        JsonElement found = JitterJsonTests.Lines(run.Output[run.Output.IndexOf('{', StringComparison.Ordinal)..])[^1].GetProperty("break");
        (found.GetProperty("isMarked").GetBoolean(), found.GetProperty("isTracingStopped").GetBoolean()).Should().Be((true, true));
        found.GetProperty("stopProblem").ValueKind.Should().Be(JsonValueKind.Null);
    }

    [TheoryNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    [InlineData("INT", 130)]
    [InlineData("TERM", 143)]
    public void A_signal_ends_the_measurement_and_prints_the_results(string signal, int exitCode)
    {
        ToolRun run = PicolloTool.RunInShell($$"""
            set -m
            $picollo jitter -o {{_folder.Path}}/results -c ': > {{_folder.Path}}/ready; sleep 71' > {{_folder.Path}}/out &
            until [ -e {{_folder.Path}}/ready ]; do sleep 0.02; done
            sleep 0.3; kill -{{signal}} $!; wait $!; echo $?
            """);

        run.Output.Should().Be($"{exitCode}\n");
        File.ReadAllText(_folder.PathOf("out")).Should().MatchRegex("\nCPU 0( +([0-9.]+|-)){6}\n");
        Results(_folder.PathOf("results")).GetProperty("picollo").GetProperty("is_interrupted").GetBoolean().Should().BeTrue();
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_closed_pipe_ends_the_measurement_and_the_results_are_saved()
    {
        ToolRun run = PicolloTool.RunInShell($"( $picollo jitter -v -D 1m -o {_folder.Path}/results; echo $? >&2 ) | head -1");

        run.Error.Should().EndWith("141\n");
        Results(_folder.PathOf("results")).GetProperty("cpu").GetProperty("0").GetProperty("count").GetInt64().Should().BeGreaterThan(0);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void The_load_runs_during_the_measurement_and_is_killed_if_it_ignores_SIGTERM()
    {
        ToolRun run = PicolloTool.Run("jitter", "-a", "0", "-D", "500ms", "-c", $"trap '' TERM; echo said; sleep 72 & echo $! > {_folder.Path}/id; wait; sleep 73");

        // An unprivileged user gets additional notes after this one.
        (run.ExitCode, Environment.IsPrivilegedProcess ? run.Error : run.Error.Split("picollo: ")[0]).Should().Be((0, "said\n"));
        string child = $"/proc/{File.ReadAllText(_folder.PathOf("id")).Trim()}/stat";
        (!File.Exists(child) || File.ReadAllText(child).Contains(") Z ", StringComparison.Ordinal)).Should().BeTrue("the other processes of its group are killed, too");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void The_load_has_normal_scheduling_and_inherits_the_CPUs()
    {
        // Real time is not permitted for another user; the result must be the same.
        ToolRun run = PicolloTool.RunInShell("""
            real=; [ "$(id -u)" != 0 ] || real='chrt -f 10'
            $real taskset -c 0 $picollo jitter -D 300ms -c 'cut -d" " -f41 /proc/self/stat; grep Cpus_allowed_list /proc/self/status; sleep 5'
            """);

        run.Error.Should().Contain("0\nCpus_allowed_list:\t0\n");
        run.Output.Should().StartWith("affinity: 0 = 1 [0x1]\n");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Missing_permissions_are_reported_and_the_measurement_continues()
    {
        ToolRun run = PicolloTool.RunInShell("""
            ulimit -r 0; $unprivileged jitter -a 0 -l 50
            """);

        run.ExitCode.Should().Be(0);
        run.Output.Should().Contain(" C:        50 ");
        run.Error.Should().Contain("picollo: SCHED_FIFO at priority 80 was refused").And.Contain("/dev/cpu_dma_latency is not held at 0");
        run.Error.Split('\n').Should().OnlyContain(line => line.Length <= 80);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void No_note_is_printed_if_real_time_is_not_requested() =>
        PicolloTool.RunInShell("ulimit -r 0; DOTNET_CLI_HOME=/tmp $picollo jitter -p 0 -a 0 -l 50").Error.Should().NotContain("SCHED_FIFO");

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Only_missing_CPUs_are_refused()
    {
        PicolloTool.Run("jitter", "-a", "8191", "-l", "1").Should().Match<ToolRun>(run => run.ExitCode == 1 && run.Output == "" && run.Error.StartsWith("picollo: CPU 8191 does not exist", StringComparison.Ordinal));
        if (Environment.ProcessorCount > 1)
        {
            ToolRun run = PicolloTool.RunInShell("taskset -c 0 $picollo jitter -a 1 -l 1");

            run.ExitCode.Should().Be(0, "an isolated CPU is outside of the affinity, and can be measured");
            run.Output.Should().StartWith("affinity: 1 = 1 [0x2]\n").And.Contain(" A: 1 C:         1 ");
        }
    }

    [Theory]
    [InlineData("-a", "3-1", "picollo: -a must be a list of CPUs from 0 to 8191 such as 0-3,8, or a mask such as 0x10F, not '3-1'.")]
    [InlineData("-i", "2s", "picollo: -i must be a multiple of 100 ns from 1us to 1s (default unit: us), not '2s'.")]
    [InlineData("-i", "0", "picollo: -i must be a multiple of 100 ns from 1us to 1s (default unit: us), not '0'.")]
    [InlineData("-Ni", "500", "picollo: -i must be a multiple of 100 ns from 1us to 1s (default unit: ns), not '500'.")]
    [InlineData("-p", "100", "picollo: -p must be a priority from 1 to 99, or 0 for no real-time priority, not '100'.")]
    [InlineData("-D", "5w", "picollo: -D must be a time such as 30, 30s, 5m, 1h or 1d, not '5w'.")]
    [InlineData("-l", "0", "picollo: -l must be a number of wake-ups, 1 or more, not '0'.")]
    [InlineData("-b", "x", "picollo: -b must be a time that is a multiple of 100 ns (default unit: us), not 'x'.")]
    [InlineData("-c", " ", "picollo: -c must be a command, not ' '.")]
    [InlineData("-s", "-v", "picollo: -s requires -o, the directory for the samples.")]
    [InlineData("-x", "1", "picollo: Unrecognized")]
    public void Invalid_arguments_are_usage_errors(string option, string value, string message)
    {
        ToolRun run = PicolloTool.RunHere("jitter", option, value);

        (run.ExitCode, run.Output).Should().Be((2, ""));
        run.Error.Should().StartWith(message).And.EndWith("\nTry 'picollo jitter --help'.\n");
    }

    [Theory]
    [InlineData("jitter")]
    [InlineData("jitter", "plot")]
    [InlineData("jitter", "samples")]
    public void Help_has_examples_and_exit_codes_and_fits_80_columns(params string[] command)
    {
        ToolRun run = PicolloTool.RunHere([.. command, "--help"]);

        run.ExitCode.Should().Be(0);
        run.Error.Should().BeEmpty();
        run.Output.Should().Contain("Examples:").And.Contain("Exit codes:");
        run.Output.Split('\n').Should().OnlyContain(line => line.Length <= 80);
    }

    internal static JsonElement Results(string folder) => JsonDocument.Parse(File.ReadAllText(Path.Combine(folder, "results.json"))).RootElement;

    [GeneratedRegex("(?m)^T: .* C: +(?<count>[0-9]+) .*$")]
    private static partial Regex Line();
}
