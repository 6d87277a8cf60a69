namespace Picollo.Cli.Tests.Top;

/// <summary>Tests of <c>picollo top</c> with a restricted or missing /proc.</summary>
[Trait("Category", "Slow")]
public class TopEnvironmentTests
{
    // .NET does not start without /proc.
    [FactNeeding(Need.OwnProc)]
    public void An_incomplete_proc_is_reported()
    {
        ToolRun run = PicolloTool.RunInShell("unshare -mp --fork sh -c 'mount -t proc -o subset=pid proc /proc; $picollo top -b; echo $?; $picollo top --json'");

        run.ExitCode.Should().Be(1);
        run.Output.Should().Be("1\n");
        run.Error.Should().MatchRegex("^(picollo: /proc/stat cannot be read.*\n){2}$");
    }

    [FactNeeding(Need.OwnProc)]
    public void Hidden_processes_are_reported_once_and_others_are_shown()
    {
        const string Script = "mount -t proc -o hidepid=2 proc /proc; $unprivileged top -b -n 3 -d 0.1; $unprivileged top --json -n 2 -d 0.1 >&2";

        ToolRun run = PicolloTool.RunInShell($"unshare -mp --fork sh -c '{Script}'");

        run.ExitCode.Should().Be(0);
        run.Output.Split("\ntop - ").Should().HaveCount(3);
        run.Output.Should().Contain("Picollo.Cli").And.NotContain("root");
        run.Error.Split("hidepid. Run as root").Should().HaveCount(3, "the text and the JSON report it once each");
        JsonSchema.OfCommand("top").ProblemsOf(string.Join('\n', run.Error.Split('\n').Where(line => line.StartsWith('{')))).Should().BeEmpty();
    }

    [FactNeeding(Need.OwnProc)]
    public void A_hidden_process_is_not_reported_as_ended()
    {
        const string Script = "mount -t proc -o hidepid=2 proc /proc; $unprivileged record -p 1; $unprivileged stat -p 1";

        ToolRun run = PicolloTool.RunInShell($"unshare -mp --fork sh -c '{Script}'");

        run.Error.Split("Process 1 exists, but /proc hides it, because it is mounted with hidepid.").Should().HaveCount(3, run.Error);
    }

    [FactNeeding(Need.OwnProc)]
    public void An_unprivileged_user_sees_the_public_data_of_root_processes()
    {
        ToolRun run = PicolloTool.RunInShell("$unprivileged top --json -c -n 1 -p 1");

        (run.ExitCode, run.Error).Should().Be((0, ""));
        run.Output.Should().Contain("\"user\":\"root\"").And.NotContain("\"cpuShare\":null").And.NotContain("\"waitShare\":null").And.NotContain("\"residentBytes\":null").And.NotContain("\"note\"");
    }
}
