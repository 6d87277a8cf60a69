using System.Diagnostics;
using System.Text.Json;

namespace Picollo.Cli.Tests.Record;

/// <summary>End-to-end tests of <c>picollo record</c>.</summary>
public sealed class RecordCommandTests : IDisposable
{
    private static readonly string[] FileNames = ["p.html", "p.svg", "p.pb.gz", "p.folded", "p.json"];
    private static readonly EnumerationOptions OfThisUser = new() { IgnoreInaccessible = true };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("Specify either a process (-p PID) or a command (after --).")]
    [InlineData("Specify either a process (-p PID) or a command (after --).", "-p", "1", "--", "true")]
    [InlineData("The command is empty.", "--", "")]
    [InlineData("Unrecognized option '--nosuch'.", "--nosuch", "--", "true")]
    [InlineData("-p must be a process ID, not 'x'.", "-p", "x")]
    [InlineData("-p must be a process ID, not '0'.", "-p", "0")]
    [InlineData("--duration must be more than 0 and at most 86400 seconds, not '0'.", "-p", "1", "--duration", "0")]
    [InlineData("--duration must be more than 0 and at most 86400 seconds, not '5s'.", "-p", "1", "--duration", "5s")]
    [InlineData("--duration requires -p; a command is profiled until it exits.", "--duration", "5", "--", "true")]
    [InlineData("--frequency must be 1 to 10000 samples per second, not '0'.", "--frequency", "0", "--", "true")]
    [InlineData("--frequency must be 1 to 10000 samples per second, not '10001'.", "--frequency", "10001", "--", "true")]
    [InlineData("--type requires --diff.", "--type", "cpu", "--", "true")]
    [InlineData("--diff requires two files: BEFORE and AFTER.", "--diff", "a")]
    [InlineData("--diff requires two files: BEFORE and AFTER.", "--diff", "a", "b", "--diff", "c")]
    [InlineData("--diff compares two files and cannot be combined with a command: 'c'.", "--diff", "a", "b", "c")]
    [InlineData("--diff compares two files and cannot be combined with a command: 'true'.", "--diff", "a", "b", "--", "true")]
    [InlineData("--diff cannot be combined with -p, only with --type, --html and --svg.", "-p", "1", "--diff", "a", "b")]
    [InlineData("--diff cannot be combined with --kernel, only with --type, --html and --svg.", "--diff", "a", "b", "--kernel")]
    [InlineData("--diff cannot be combined with --json, only with --type, --html and --svg.", "--diff", "a", "b", "--json", "c")]
    public void Invalid_arguments_are_reported(string message, params string[] arguments)
    {
        ToolRun run = PicolloTool.RunHere(["record", .. arguments]);

        (run.ExitCode, run.Output).Should().Be((2, ""));
        run.Error.Should().Be($"picollo: {message}\nTry 'picollo record --help'.\n");
    }

    [Fact]
    public void Missing_dashes_are_explained() => PicolloTool.RunHere("record", "cp", "-p", "x", "y").Error.Should()
        .Contain("A command with options must follow --: picollo record -- CMD ARGS\n");

    [Fact]
    public void The_help_fits_80_columns() =>
        PicolloTool.RunHere("record", "--help").Output.Split('\n').Should().OnlyContain(line => line.Length <= 80);

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void A_command_with_another_compiler_is_profiled_with_names()
    {
        const string Script = "echo 1 7fffffffffff 'JS:*work app.js:1:2' > /tmp/perf-$$.map; i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done; "
            + "echo /tmp/perf-$$.map";

        ToolRun run = PicolloTool.Run(["record", "--frequency", "999", "--", "sh", "-c", Script]);

        File.Delete(run.Output.TrimEnd());
        run.Error.Should().Contain("  JS:*work app.js:1:2\n").And.Contain("unnamed 0.0 %");
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void A_command_is_profiled_until_it_ends_and_requested_files_are_written()
    {
        string[] files = [.. FileNames.Select(_folder.PathOf)];

        ToolRun run = PicolloTool.Run([
            "record", "--frequency", "999", "--html", files[0], "--svg", files[1], "--pprof", files[2], "--folded", files[3], "--json", files[4],
            "--", .. Tool.HelperApp("profiled-for", "500")]);

        run.ExitCode.Should().Be(0);
        run.Output.Should().StartWith("ready=").And.NotContain("samples at", "standard output belongs to the command");
        run.Error.Should().Contain("Profiled.Sixty").And.Contain(" samples at 999 Hz; CPU time ").And.Contain("HelperApp.dll profiled-for 500");
        files.Should().AllSatisfy(file => new FileInfo(file).Length.Should().BePositive());
        using JsonDocument json = JsonDocument.Parse(File.ReadAllText(files[4]));
        json.RootElement.GetProperty("sampleCount").GetInt64().Should().BeGreaterThan(100);
        File.ReadAllText(files[3]).Should().MatchRegex(@"(?m);Picollo\.HelperApp\.Profiled\.Sixty \d+$");
        Directory.EnumerateDirectories(Path.GetTempPath(), "picollo-*", SearchOption.TopDirectoryOnly)
            .Where(folder => Directory.Exists(folder) && Directory.EnumerateFiles(folder, "perf-*.map", OfThisUser).Any()).Should().BeEmpty();
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void Processes_that_a_command_starts_are_part_of_its_profile()
    {
        string[] app = Tool.HelperApp("profiled-for", "300");
        string both = string.Join(" & ", Enumerable.Repeat(string.Join(' ', app.Select(word => $"'{word}'")), 2)) + " & wait";

        ToolRun run = PicolloTool.Run("record", "--frequency", "999", "--folded", _folder.PathOf("p.folded"), "--", "sh", "-c", both);

        run.ExitCode.Should().Be(0);
        string[] processes = [.. File.ReadLines(_folder.PathOf("p.folded"))
            .Where(line => line.Contains("Profiled.Sixty", StringComparison.Ordinal))
            .Select(line => line.Split(';')[0]).Distinct()];
        processes.Should().HaveCount(2).And.OnlyContain(name => name.StartsWith("dotnet (process ", StringComparison.Ordinal));
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void The_exit_code_of_the_command_is_returned()
    {
        PicolloTool.Run("record", "--", "sh", "-c", "exit 7").ExitCode.Should().Be(7);
        PicolloTool.Run("record", "--", "sh", "-c", "kill -9 $$").ExitCode.Should().Be(137);
        ToolRun missing = PicolloTool.Run("record", "--", "no-such-command");
        (missing.ExitCode, missing.Error).Should().Be((127, "picollo: no-such-command: No such file or directory\n"));
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void A_file_that_cannot_be_written_is_reported_and_the_others_are_written()
    {
        ToolRun run = PicolloTool.Run(
            "record", "--html", _folder.PathOf("none/p.html"), "--json", _folder.PathOf("p.json"), "--", "sh", "-c", "exit 7");

        run.ExitCode.Should().Be(1);
        run.Error.Should().Contain($"picollo: {_folder.PathOf("none/p.html")}: No such file or directory\n").And.EndWith($"wrote {_folder.PathOf("p.json")}\n");
        File.Exists(_folder.PathOf("p.json")).Should().BeTrue();
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void Files_are_written_if_the_reader_of_the_table_has_closed_the_pipe()
    {
        PicolloTool.RunInShell($"$picollo record --json '{_folder.PathOf("p.json")}' -- true 2>&1 | true");

        File.Exists(_folder.PathOf("p.json")).Should().BeTrue();
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void A_command_may_remove_the_folder_of_its_method_names() =>
        PicolloTool.Run("record", "--", "sh", "-c", "rm -rf \"$DOTNET_PerfMapJitDumpPath\"; exit 7").ExitCode.Should().Be(7);

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void A_missing_folder_for_temporary_files_is_reported()
    {
        ToolRun run = PicolloTool.RunInShell("TMPDIR=/nonexistent $picollo record -- true");

        run.ExitCode.Should().Be(1);
        run.Error.Should().StartWith("picollo: /nonexistent/: ").And.EndWith("set TMPDIR to a writable directory\n");
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void A_note_reports_a_command_without_method_names()
    {
        ToolRun run = PicolloTool.Run(["record", "--frequency", "999", "--", "env", "DOTNET_PerfMapEnabled=0", .. Tool.HelperApp("profiled-for", "300")]);

        run.Error.Should().MatchRegex(@"Compiled methods of \S+ \(process \d+\) have no names, because their names are in its perf map, and there is none\.");
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void A_command_that_uses_no_CPU_time_has_an_empty_profile()
    {
        ToolRun run = PicolloTool.Run("record", "--frequency", "1", "--", "true");

        run.ExitCode.Should().Be(0);
        run.Error.Should().Contain("No samples. The process used ");
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void A_running_process_is_profiled_for_a_duration()
    {
        using Process target = Start("profiled");

        ToolRun run = PicolloTool.Run("record", "-p", $"{target.Id}", "--duration", "0.5", "--frequency", "999");

        run.ExitCode.Should().Be(0);
        run.Output.Should().Contain($"dotnet (process {target.Id})\n").And.Contain("Profiled.");
        run.Error.Should().BeEmpty();
        target.HasExited.Should().BeFalse();
        End(target);
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void A_process_is_profiled_until_it_ends()
    {
        using Process target = Start("profiled-for", "700");

        ToolRun run = PicolloTool.Run("record", "-p", $"{target.Id}", "--frequency", "999");

        run.ExitCode.Should().Be(0);
        run.Output.Should().Contain("Profiled.Sixty");
        target.WaitForExit();
    }

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void An_interrupt_ends_the_profile_and_not_the_process()
    {
        using Process target = Start("profiled");

        ToolRun run = PicolloTool.RunInShell($"timeout -s INT 2 $picollo record -p {target.Id} --frequency 999; echo code $?");

        run.Output.Should().Contain("Profiled.").And.EndWith("code 124\n"); // the exit code of timeout
        target.HasExited.Should().BeFalse();
        End(target);
    }

    [FactNeeding(Need.Linux)]
    public void A_process_that_does_not_exist_is_reported() =>
        PicolloTool.RunHere("record", "-p", "2147483647").Should().BeEquivalentTo(new { ExitCode = 1, Output = "" });

    [FactNeeding(Need.PerfEvents, Need.Root, Need.Setpriv)]
    [Trait("Category", "Slow")]
    public void A_process_of_another_user_is_rejected()
    {
        using Process target = Start("profiled");

        ToolRun run = PicolloTool.RunInShell($"$unprivileged record -p {target.Id} --duration 0.1");

        run.ExitCode.Should().Be(1);
        run.Error.Should().StartWith("picollo: ").And.Contain("another user").And.Contain("run as that user");
        End(target);
    }

    [FactNeeding(Need.PerfEvents, Need.Root, Need.Setpriv)]
    [Trait("Category", "Slow")]
    public void An_unprivileged_user_can_profile_a_command_but_not_kernel_code()
    {
        ToolRun run = PicolloTool.RunInShell("$unprivileged record --frequency 999 -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'");
        ToolRun kernel = PicolloTool.RunInShell("$unprivileged record --kernel -- true");

        (run.ExitCode, run.Error).Should().Match<(int Code, string Text)>(it => it.Code == 0 && it.Text.Contains("samples at 999 Hz", StringComparison.Ordinal));
        kernel.ExitCode.Should().Be(1);
        kernel.Error.Should().Contain("kernel.perf_event_paranoid");
    }

    private static Process Start(params string[] arguments)
    {
        string[] line = Tool.HelperApp(arguments);
        Process process = Process.Start(new ProcessStartInfo(line[0], line[1..]) { RedirectStandardInput = true, RedirectStandardOutput = true })!;
        process.StandardOutput.ReadLine().Should().StartWith("ready=");
        return process;
    }

    private static void End(Process process)
    {
        process.StandardInput.Close();
        process.WaitForExit();
    }
}
