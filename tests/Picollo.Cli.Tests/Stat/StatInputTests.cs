namespace Picollo.Cli.Tests.Stat;

/// <summary>Tests what the runs of <c>picollo stat</c> read from standard input: the bytes, not the time.</summary>
[Trait("Category", "Slow")]
public sealed class StatInputTests : FolderTests
{
    private const string NullNote = "each run read /dev/null";

    private readonly string _path; // has the three lines a, b, c

    public StatInputTests()
    {
        _path = Folder.PathOf("abc");
        File.WriteAllText(_path, "a\nb\nc\n");
    }

    [TheoryNeeding(Need.Linux)]
    [InlineData("$picollo stat -r 3 -c 'wc -l' < {0}", "3\n3\n3\n")]
    [InlineData("$picollo stat --warmup 2 -- wc -l < {0}", "3\n3\n3\n")]
    [InlineData("$picollo stat -r 2 --save {0}.j -- cat < {0}; $picollo stat --baseline {0}.j -- wc -l < {0}", "a\nb\nc\na\nb\nc\n3\n")]
    [InlineData("{ read line; $picollo stat -r 2 --warmup 1 -- cat; } < {0}", "b\nc\nb\nc\nb\nc\n")]
    [InlineData("{ $picollo stat -r 2 -- dd bs=2 count=1 status=none; cat; } < {0}", "a\na\nb\nc\n")] // the shell continues after the last run
    [InlineData("$picollo stat -r 2 -- cat <> {0}", "a\nb\nc\na\nb\nc\n")]
    [InlineData("$picollo stat -r 2 -c 'cat /dev/stdin' < {0}", "a\nb\nc\na\nb\nc\n")]
    [InlineData("exec 3< {0}; rm {0}; $picollo stat -r 2 -- cat <&3", "a\nb\nc\na\nb\nc\n")]
    [InlineData("$picollo stat -r 2 -c 'wc -l' < /proc/version", "1\n1\n")]
    [InlineData("$picollo stat -r 2 -c 'wc -l' < /dev/null", "0\n0\n")]
    [InlineData("$picollo stat -r 2 -c '[ -e /dev/fd/0 ] || echo closed' <&-", "closed\nclosed\n")]
    [InlineData("cat {0} | $picollo stat -- wc -l", "3\n")] // a single run reads the pipe
    [InlineData("echo other | $picollo stat -r 2 --warmup 1 --input {0} -- wc -l", "3\n3\n3\n")]
    [InlineData("$picollo stat --compare cat 'gzip -c | gzip -d' 'wc -l' < {0}", "a\nb\nc\na\nb\nc\n3\n")]
    [InlineData("$picollo stat --input {0} --compare cat 'cat -' <&-", "a\nb\nc\na\nb\nc\n")]
    [InlineData("$picollo stat -r 2 --input /dev/stdin -- cat < {0}", "a\nb\nc\na\nb\nc\n")]
    [InlineData("$picollo stat --input {0} -p $$ -- cat", "a\nb\nc\n")]
    [InlineData("$picollo stat -r 2 --input {0} --prepare 'echo x >> {0}' -- wc -l", "4\n5\n")]
    public void Each_run_reads_the_same_input(string script, string output)
    {
        ToolRun run = PicolloTool.RunInShell(script.Replace("{0}", _path, StringComparison.Ordinal));

        (run.ExitCode, run.Output).Should().Be((0, output), run.Error);
        run.Error.Should().NotContain(NullNote);
    }

    [FactNeeding(Need.Linux)]
    public void A_pipe_is_replaced_by_an_empty_input_for_several_runs_with_a_note()
    {
        foreach (string line in (string[])
        [
            "cat {0} | $picollo stat -r 2 -c 'wc -l'",
            "cat {0} | $picollo stat --warmup 1 -- wc -l",
            "cat {0} | $picollo stat --compare 'wc -l' 'cat | wc -l'",
            "mkfifo {0}.fifo; cat {0} > {0}.fifo & $picollo stat -r 2 -c 'wc -l' < {0}.fifo",
        ])
        {
            ToolRun run = PicolloTool.RunInShell(line.Replace("{0}", _path, StringComparison.Ordinal));

            (run.ExitCode, run.Output).Should().Be((0, "0\n0\n"), line);
            run.Error.Replace('\n', ' ').Should().Contain(NullNote, line);
        }

        PicolloTool.RunInShell($"cat {_path} | $picollo stat --json -r 2 -- true").Output.Should().Contain("\"kind\":\"note\"").And.Contain(NullNote);
    }

    [FactNeeding(Need.Linux)]
    public void The_command_of_prepare_does_not_read_the_input_of_the_run()
    {
        PicolloTool.RunInShell($"cat {_path} | $picollo stat --prepare 'wc -l > {_path}.prepared' -- cat").Output.Should().Be("a\nb\nc\n");
        PicolloTool.RunInShell($"$picollo stat -r 2 --prepare 'wc -l >> {_path}.prepared' -- cat < {_path}").Output.Should().Be("a\nb\nc\na\nb\nc\n");
        PicolloTool.RunInShell($"$picollo stat --input {_path} --prepare 'wc -l >> {_path}.prepared' -- cat").Output.Should().Be("a\nb\nc\n");
        File.ReadAllText($"{_path}.prepared").Should().Be("0\n0\n0\n0\n");
    }

    [FactNeeding(Need.Linux)]
    public void Each_run_reads_the_terminal()
    {
        // script(1) creates a terminal. A file, because a slow machine draws the progress into the terminal.
        ToolRun run = PicolloTool.RunInShell(
            $"script -qec \"$picollo stat -r 2 --prepare 'test -t 0' -o /dev/null -c 'test -t 0 && echo terminal >> {_path}'\" /dev/null");

        run.ExitCode.Should().Be(0);
        File.ReadAllText(_path).Should().Be("a\nb\nc\nterminal\nterminal\n");
    }

    [FactNeeding(Need.Linux)]
    public void An_input_file_that_cannot_be_read_is_reported_before_the_first_run()
    {
        foreach ((string path, string reason) in ((string, string)[])
        [
            ("", "No such file or directory"),
            ("-", "No such file or directory"),
            (Folder.PathOf("none"), "No such file or directory"),
            (Folder.PathOf("."), "Is a directory"),
        ])
        {
            PicolloTool.Run("stat", "--prepare", "echo prepared", "--input", path, "--", "echo", "ran")
                .Should().Be(new ToolRun(125, "", $"picollo: {path}: {reason}\n"));
        }

        ToolRun locked = PicolloTool.RunInShell($"chmod 0 {_path}; chmod 755 {Folder.PathOf(".")}; $unprivileged stat --input {_path} -- echo ran");
        locked.Should().Be(new ToolRun(125, "", $"picollo: {_path}: Permission denied\n"));
        PicolloTool.Run("stat", "--input", _path + ".none", "--baseline", _path, "--", "true").ExitCode.Should().Be(1, "as for a missing baseline");
    }

    [FactNeeding(Need.Linux)]
    public void An_input_that_can_be_read_only_once_is_rejected()
    {
        foreach (string line in (string[])["mkfifo {0}.fifo; $picollo stat --input {0}.fifo -- echo ran", "$picollo stat --input <(cat {0}) -r 2 -- echo ran"])
        {
            ToolRun run = PicolloTool.RunInShell(line.Replace("{0}", _path, StringComparison.Ordinal));

            (run.ExitCode, run.Output).Should().Be((125, ""), line);
            run.Error.Should().Contain("can be read only once", line);
        }
    }

    [FactNeeding(Need.Linux)]
    public void A_failed_warm_up_run_is_a_failure_also_in_a_comparison_with_a_baseline()
    {
        // Only the first run fails.
        string command = $"[ -e {_path}.ran ] || {{ : > {_path}.ran; exit 7; }}";
        ToolRun run = PicolloTool.Run("stat", "--warmup", "2", "-r", "2", "--save", $"{_path}.json", "-c", command);

        run.ExitCode.Should().Be(7);
        run.Error.Should().Contain("\n1 of 2 warm-up runs failed; the first exited with code 7\n").And.Contain("\n2 runs\n")
            .And.EndWith($"\nbaseline not saved to {_path}.json: not all runs succeeded\n").And.NotContain(" of 2 runs failed");
        File.Exists($"{_path}.json").Should().BeFalse();

        PicolloTool.Run("stat", "-r", "2", "--save", $"{_path}.json", "--", "true").ExitCode.Should().Be(0);
        File.Delete($"{_path}.ran");
        run = PicolloTool.Run("stat", "--json", "--warmup", "1", "-r", "2", "--baseline", $"{_path}.json", "-c", command);
        run.ExitCode.Should().Be(1);
        run.Output.Should().Contain("1 of 1 warm-up runs failed; the first exited with code 7").And.NotContain("\"kind\":\"gate\"");
    }
}
