using System.Diagnostics;
using System.Text.Json;
using Picollo.Cli.Tests.Shell;

namespace Picollo.Cli.Tests.Record;

/// <summary>End-to-end tests of <c>picollo record</c>.</summary>
[Trait("Category", "Slow")]
public sealed class RecordCommandTests : FolderTests
{
    [FactNeeding(Need.PerfEvents)]
    public void A_command_with_another_compiler_is_profiled_with_names()
    {
        const string Script = "echo 1 7fffffffffff 'JS:*work app.js:1:2' > /tmp/perf-$$.map; i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done; "
            + "echo /tmp/perf-$$.map";

        ToolRun run = PicolloTool.Run(["record", "--frequency", "999", "--", "sh", "-c", Script]);

        File.Delete(run.Output.TrimEnd());
        run.Error.Should().Contain("  JS:*work app.js:1:2\n").And.Contain("unnamed 0.0 %");
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_command_is_profiled_until_it_ends_and_requested_files_are_written()
    {
        string[] files = [.. ((string[])["p.html", "p.svg", "p.pb.gz", "p.folded", "p.json"]).Select(Folder.PathOf)];
        string temporary = Directory.CreateDirectory(Folder.PathOf("temporary")).FullName;
        string command = string.Join(' ', Tool.HelperApp("profiled-for", "500").Select(word => $"'{word}'"));

        ToolRun run = PicolloTool.RunInShell($"TMPDIR={temporary} $picollo record --frequency 999 "
            + $"--html {files[0]} --svg {files[1]} --pprof {files[2]} --folded {files[3]} --json {files[4]} -- {command}");

        run.ExitCode.Should().Be(0);
        run.Output.Should().StartWith("ready=").And.NotContain("samples at", "standard output belongs to the command");
        run.Error.Should().Contain("Profiled.Sixty").And.Contain(" samples at 999 Hz; CPU time ").And.Contain("HelperApp.dll profiled-for 500");
        files.Should().AllSatisfy(file => new FileInfo(file).Length.Should().BePositive());
        using JsonDocument json = JsonDocument.Parse(File.ReadAllText(files[4]));
        json.RootElement.GetProperty("sampleCount").GetInt64().Should().BeGreaterThan(100);
        File.ReadAllText(files[3]).Should().MatchRegex(@"(?m);Picollo\.HelperApp\.Profiled\.Sixty \d+$");
        Directory.GetDirectories(temporary, "picollo-*").Should().BeEmpty();
    }

    [FactNeeding(Need.PerfEvents)]
    public void Processes_that_a_command_starts_are_part_of_its_profile()
    {
        string[] app = Tool.HelperApp("profiled-for", "300");
        string both = string.Join(" & ", Enumerable.Repeat(string.Join(' ', app.Select(word => $"'{word}'")), 2)) + " & wait";

        ToolRun run = PicolloTool.Run("record", "--frequency", "999", "--folded", Folder.PathOf("p.folded"), "--", "sh", "-c", both);

        run.ExitCode.Should().Be(0);
        string[] processes = [.. File.ReadLines(Folder.PathOf("p.folded"))
            .Where(line => line.Contains("Profiled.Sixty", StringComparison.Ordinal))
            .Select(line => line.Split(';')[0]).Distinct()];
        processes.Should().HaveCount(2).And.OnlyContain(name => name.StartsWith("dotnet (process ", StringComparison.Ordinal));
    }

    [FactNeeding(Need.PerfEvents)]
    public void The_exit_code_of_the_command_is_returned()
    {
        PicolloTool.Run("record", "--", "sh", "-c", "exit 7").ExitCode.Should().Be(7);
        PicolloTool.Run("record", "--", "sh", "-c", "kill -9 $$").ExitCode.Should().Be(137);
        PicolloTool.Run("record", "--", "sh", "-c", "rm -rf \"$DOTNET_PerfMapJitDumpPath\"; exit 7").ExitCode
            .Should().Be(7, "a command may remove the folder of its method names");
        PicolloTool.Run("record", "-p", "2147483647").Should().BeEquivalentTo(new { ExitCode = 1, Output = "" });
        ToolRun empty = PicolloTool.Run("record", "--frequency", "1", "--", "true");
        (empty.ExitCode, empty.Error.Contains("No samples. The process used ", StringComparison.Ordinal)).Should().Be((0, true));
        ToolRun missing = PicolloTool.Run("record", "--", "no-such-command");
        (missing.ExitCode, missing.Error).Should().Be((127, "picollo: no-such-command: No such file or directory\n"));
        missing = PicolloTool.RunInShell("TMPDIR=/nonexistent $picollo record -- true");
        missing.ExitCode.Should().Be(1);
        missing.Error.Should().StartWith("picollo: /nonexistent/: ").And.EndWith("set TMPDIR to a writable directory\n");
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_file_that_cannot_be_written_is_reported_and_the_others_are_written()
    {
        ToolRun run = PicolloTool.Run(
            "record", "--html", Folder.PathOf("none/p.html"), "--json", Folder.PathOf("p.json"), "--", "sh", "-c", "exit 7");

        run.ExitCode.Should().Be(1);
        run.Error.Should().Contain($"picollo: {Folder.PathOf("none/p.html")}: No such file or directory\n").And.EndWith($"wrote {Folder.PathOf("p.json")}\n");
        File.Exists(Folder.PathOf("p.json")).Should().BeTrue();
        PicolloTool.RunInShell($"$picollo record --json '{Folder.PathOf("closed.json")}' -- true 2>&1 | true"); // the reader of the table
        File.Exists(Folder.PathOf("closed.json")).Should().BeTrue();
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_note_reports_a_command_without_method_names()
    {
        ToolRun run = PicolloTool.Run(["record", "--frequency", "999", "--", "env", "DOTNET_PerfMapEnabled=0", .. Tool.HelperApp("profiled-for", "300")]);

        run.Error.Should().MatchRegex(@"Compiled methods of \S+ \(process \d+\) have no names, because their names are in its perf map, and there is none\.");
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_process_is_profiled_until_it_ends_or_for_a_duration_or_until_an_interrupt()
    {
        using Process target = Start("profiled");
        ToolRun run = PicolloTool.Run("record", "-p", $"{target.Id}", "--duration", "0.5", "--frequency", "999");
        (run.ExitCode, run.Error).Should().Be((0, ""));
        run.Output.Should().Contain($"dotnet (process {target.Id})\n").And.Contain("Profiled.");

        RecordUntil(target, tool => PicolloTool.RunInShell($"kill -INT {tool.Id}")).Should().Be(130);
        target.HasExited.Should().BeFalse();
        RecordUntil(target, _ => End(target)).Should().Be(0);
    }

    [FactNeeding(Need.PerfEvents, Need.Root, Need.Setpriv)]
    public void A_process_of_another_user_is_rejected()
    {
        using Process target = Start("profiled");

        ToolRun run = PicolloTool.RunInShell($"$unprivileged record -p {target.Id} --duration 0.1");

        run.ExitCode.Should().Be(1);
        run.Error.Should().StartWith("picollo: ").And.Contain("another user").And.Contain("run as that user");
        End(target);
    }

    [FactNeeding(Need.PerfEvents, Need.Root, Need.Setpriv)]
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

    /// <summary>Profiles a process until some time after the counters are open, and returns the exit code.</summary>
    private static int RecordUntil(Process target, Action<Process> end)
    {
        using Process tool = Process.Start(new ProcessStartInfo(PicolloTool.Path, ["record", "-p", $"{target.Id}", "--frequency", "999"]) { RedirectStandardOutput = true })!;
        SpinWait.SpinUntil(() => tool.HasExited || Descriptor.Of(tool.Id).Any(each => each.Target.Contains("perf_event", StringComparison.Ordinal)), TimeSpan.FromSeconds(60));
        Thread.Sleep(500);
        end(tool);
        tool.StandardOutput.ReadToEnd().Should().Contain("Profiled.");
        tool.WaitForExit();
        return tool.ExitCode;
    }
}
