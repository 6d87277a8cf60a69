using System.Text.Json;
using System.Text.RegularExpressions;

namespace Picollo.Cli.Tests.Jitter;

/// <summary>End-to-end tests of <c>picollo jitter</c>.</summary>
[Trait("Category", "Slow")]
public sealed partial class JitterCommandTests : FolderTests
{
    [FactNeeding(Need.Linux)]
    public void Lines_and_percentiles_are_printed_at_the_end_without_escape_sequences()
    {
        ToolRun run = PicolloTool.Run("jitter", "-a", "0", "-l", "200");

        run.ExitCode.Should().Be(0);
        run.Output.Should().MatchRegex(@"^affinity: 0 = 1 \[0x1\]\nT: 0 \( *[0-9]+\) A: 0 C:       200 Min: +[1-9][0-9]* Avg: *[0-9.]+ Max: *[0-9]+\n\nus +p50 +p90 +p99 +p99.9 +p99.99 +max\nCPU 0( +([0-9.]+|-)){6}\n$");
        run.Output.Should().NotContain("\e").And.NotContain("\r");
    }

    [FactNeeding(Need.Linux)]
    public void Verbose_output_to_a_pipe_has_a_block_per_second_and_zeros_before_the_first_wake_up()
    {
        ToolRun run = PicolloTool.Run("jitter", "-v", "-a", "0", "-i", "1s", "-D", "2");

        run.ExitCode.Should().Be(0);
        MatchCollection lines = Line().Matches(run.Output);
        lines.Count.Should().BeInRange(2, 4);
        lines[0].Value.Should().EndWith("C:         0 Min:         0 Avg:    0.00 Max:         0");
        lines[^1].Groups["count"].Value.Should().Be("2");
        run.Output.Should().NotContain("\e").And.NotContain("\r").And.NotContainEquivalentOf("nan");
    }

    [FactNeeding(Need.Linux)]
    public void Json_conforms_to_the_schema_and_percentiles_ascend()
    {
        ToolRun run = PicolloTool.Run("jitter", "-v", "--json", "-a", "0", "-D", "2", "-c", "exit 4");

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

    [TheoryNeeding(Need.Linux)]
    [InlineData("INT", 130)]
    [InlineData("TERM", 143)]
    public void A_signal_ends_the_measurement_and_prints_the_results(string signal, int exitCode)
    {
        ToolRun run = PicolloTool.RunInShell($$"""
            set -m
            $picollo jitter -o {{Folder.Path}}/results -c ': > {{Folder.Path}}/ready; sleep 71' > {{Folder.Path}}/out &
            until [ -e {{Folder.Path}}/ready ]; do sleep 0.02; done
            sleep 0.3; kill -{{signal}} $!; wait $!; echo $?
            """);

        run.Output.Should().Be($"{exitCode}\n");
        File.ReadAllText(Folder.PathOf("out")).Should().MatchRegex("\nCPU 0( +([0-9.]+|-)){6}\n");
        Results(Folder.PathOf("results")).GetProperty("picollo").GetProperty("is_interrupted").GetBoolean().Should().BeTrue();
    }

    [FactNeeding(Need.Linux)]
    public void A_closed_pipe_ends_the_measurement_and_the_results_are_saved()
    {
        ToolRun run = PicolloTool.RunInShell($"( $picollo jitter -v -D 1m -o {Folder.Path}/results; echo $? >&2 ) | head -1");

        run.Error.Should().EndWith("141\n");
        Results(Folder.PathOf("results")).GetProperty("cpu").GetProperty("0").GetProperty("count").GetInt64().Should().BeGreaterThan(0);
    }

    [FactNeeding(Need.Linux)]
    public void The_load_has_normal_scheduling_inherits_the_CPUs_and_is_killed_if_it_ignores_SIGTERM()
    {
        // Real time is not permitted for another user; the result must be the same.
        ToolRun run = PicolloTool.RunInShell($$"""
            real=; [ "$(id -u)" != 0 ] || real='chrt -f 10'
            $real taskset -c 0 $picollo jitter -c 'trap "" TERM; cut -d" " -f41 /proc/self/stat; grep Cpus_allowed_list /proc/self/status
              sleep 72 & echo $! > {{Folder.Path}}/id; : > {{Folder.Path}}/ready; wait; sleep 73' &
            until [ -e {{Folder.Path}}/ready ]; do sleep 0.02; done
            kill -TERM $!; wait $!; echo $?
            """);

        run.Output.Should().StartWith("affinity: 0 = 1 [0x1]\n").And.EndWith("\n143\n");
        run.Error.Should().Contain("0\nCpus_allowed_list:\t0\n");
        string child = $"/proc/{File.ReadAllText(Folder.PathOf("id")).Trim()}/stat";
        (!File.Exists(child) || File.ReadAllText(child).Contains(") Z ", StringComparison.Ordinal))
            .Should().BeTrue("the other processes of its group are killed, too");
    }

    [FactNeeding(Need.Linux)]
    public void Missing_permissions_are_reported_and_the_measurement_continues()
    {
        ToolRun run = PicolloTool.RunInShell("""
            ulimit -r 0; $unprivileged jitter -a 0 -l 50
            """);

        run.ExitCode.Should().Be(0);
        run.Output.Should().Contain(" C:        50 ");
        run.Error.Should().Contain("picollo: SCHED_FIFO at priority 80 was refused").And.Contain("/dev/cpu_dma_latency is not held at 0");
        run.Error.Split('\n').Should().OnlyContain(line => line.Length <= 80);
        PicolloTool.RunInShell("ulimit -r 0; DOTNET_CLI_HOME=/tmp $picollo jitter -p 0 -a 0 -l 50").Error.Should().NotContain("SCHED_FIFO");
    }

    [FactNeeding(Need.Linux)]
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

    internal static JsonElement Results(string folder) => JsonDocument.Parse(File.ReadAllText(Path.Combine(folder, "results.json"))).RootElement;

    [GeneratedRegex("(?m)^T: .* C: +(?<count>[0-9]+) .*$")]
    private static partial Regex Line();
}
