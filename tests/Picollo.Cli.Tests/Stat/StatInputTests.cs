namespace Picollo.Cli.Tests.Stat;

/// <summary>Tests what the runs of <c>picollo stat</c> read from standard input: the bytes, not the time.</summary>
[Trait("Category", "Slow")]
public sealed class StatInputTests : IDisposable
{
    private const string NullNote = "each run read /dev/null";

    private readonly TemporaryFolder _folder = new();
    private readonly string _path; // has the three lines a, b, c

    public StatInputTests()
    {
        _path = _folder.PathOf("abc");
        File.WriteAllText(_path, "a\nb\nc\n");
    }

    public void Dispose() => _folder.Dispose();

    [FactNeeding(Need.Linux)]
    public void A_file_is_rewound_before_each_run()
    {
        ToolRun run = PicolloTool.RunInShell($"$picollo stat -r 3 -c 'wc -l' < {_path}");

        (run.ExitCode, run.Output).Should().Be((0, "3\n3\n3\n"));
        run.Error.Should().NotContain(NullNote);
    }

    [FactNeeding(Need.Linux)]
    public void A_file_is_rewound_after_warm_up_runs() =>
        PicolloTool.RunInShell($"$picollo stat --warmup 2 -- wc -l < {_path}").Output.Should().Be("3\n3\n3\n");

    [FactNeeding(Need.Linux)]
    public void Compared_commands_read_the_same_bytes()
    {
        // Larger than any buffer, so that a run that starts in the middle would differ.
        File.WriteAllText(_path, string.Join('\n', Enumerable.Range(0, 100_000)));

        PicolloTool.RunInShell($"$picollo stat -r 2 --compare 'cat >> {_path}.A' 'gzip -1 >> {_path}.B' 'gzip -9 >> {_path}.C' < {_path}").ExitCode.Should().Be(0);

        string twice = string.Concat(Enumerable.Repeat(File.ReadAllText(_path), 2));
        File.ReadAllText($"{_path}.A").Should().Be(twice);
        PicolloTool.RunInShell($"for f in B C; do gzip -dc < {_path}.$f | cmp - {_path}.A && echo same; done").Output.Should().Be("same\nsame\n");
    }

    [FactNeeding(Need.Linux)]
    public void Runs_for_a_baseline_and_for_its_comparison_read_the_same_bytes()
    {
        ToolRun run = PicolloTool.RunInShell($"""
            $picollo stat -r 2 --save {_path}.json -- wc -l < {_path}
            $picollo stat -r 2 --baseline {_path}.json --fail-above 1000000% -- wc -l < {_path}
            """);

        (run.ExitCode, run.Output).Should().Be((0, "3\n3\n3\n3\n"));
    }

    [FactNeeding(Need.Linux)]
    public void Each_run_starts_where_standard_input_was_at_the_start() =>
        PicolloTool.RunInShell($"{{ read line; $picollo stat -r 2 --warmup 1 -- cat; }} < {_path}").Output.Should().Be("b\nc\nb\nc\nb\nc\n");

    [FactNeeding(Need.Linux)]
    public void The_next_command_of_the_shell_continues_after_the_last_run() =>
        PicolloTool.RunInShell($"{{ $picollo stat -r 2 -- dd bs=2 count=1 status=none; cat; }} < {_path}").Output.Should().Be("a\na\nb\nc\n");

    [FactNeeding(Need.Linux)]
    public void Every_kind_of_seekable_input_is_rewound()
    {
        PicolloTool.RunInShell($"$picollo stat -r 2 -- cat <> {_path}").Output.Should().Be("a\nb\nc\na\nb\nc\n", "open for reading and writing");
        PicolloTool.RunInShell($"$picollo stat -r 2 -c 'cat /dev/stdin' < {_path}").Output.Should().Be("a\nb\nc\na\nb\nc\n");
        PicolloTool.RunInShell($"exec 3< {_path}; rm {_path}; $picollo stat -r 2 -- cat <&3").Output.Should().Be("a\nb\nc\na\nb\nc\n", "deleted");
        PicolloTool.RunInShell("$picollo stat -r 2 -c 'wc -l' < /proc/version").Output.Should().Be("1\n1\n", "a file of the kernel");

        ToolRun none = PicolloTool.RunInShell("$picollo stat -r 2 -c 'wc -l' < /dev/null");
        none.Output.Should().Be("0\n0\n");
        none.Error.Should().NotContain(NullNote);
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
    public void A_single_run_reads_the_pipe()
    {
        ToolRun run = PicolloTool.RunInShell($"cat {_path} | $picollo stat -- wc -l");

        run.Output.Should().Be("3\n");
        run.Error.Should().NotContain(NullNote);
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
    public void Closed_standard_input_remains_closed() =>
        PicolloTool.RunInShell("$picollo stat -r 2 -c '[ -e /dev/fd/0 ] || echo closed' <&-").Output.Should().Be("closed\nclosed\n");

    [FactNeeding(Need.Linux)]
    public void An_input_file_is_opened_for_each_run()
    {
        PicolloTool.RunInShell($"echo other | $picollo stat -r 2 --warmup 1 --input {_path} -- cat").Output.Should().Be("a\nb\nc\na\nb\nc\na\nb\nc\n");
        PicolloTool.RunInShell($"$picollo stat --input {_path} --compare cat 'cat -' <&-").Output.Should().Be("a\nb\nc\na\nb\nc\n");
        PicolloTool.RunInShell($"$picollo stat -r 2 --input /dev/stdin -- cat < {_path}").Output.Should().Be("a\nb\nc\na\nb\nc\n");
        PicolloTool.RunInShell($"$picollo stat --input {_path} -p $$ -- cat").Output.Should().Be("a\nb\nc\n");
        PicolloTool.RunInShell($"$picollo stat -r 2 --input {_path} --prepare 'echo x >> {_path}' -- wc -l").Output.Should().Be("4\n5\n");
    }

    [FactNeeding(Need.Linux)]
    public void An_input_file_that_cannot_be_read_is_reported_before_the_first_run()
    {
        foreach ((string path, string reason) in ((string, string)[])
        [
            ("", "No such file or directory"),
            ("-", "No such file or directory"),
            (_folder.PathOf("none"), "No such file or directory"),
            (_folder.PathOf("."), "Is a directory"),
        ])
        {
            PicolloTool.Run("stat", "--prepare", "echo prepared", "--input", path, "--", "echo", "ran")
                .Should().Be(new ToolRun(125, "", $"picollo: {path}: {reason}\n"));
        }

        ToolRun locked = PicolloTool.RunInShell($"chmod 0 {_path}; chmod 755 {_folder.PathOf(".")}; $unprivileged stat --input {_path} -- echo ran");
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

    [Fact]
    public void An_input_file_requires_a_command() =>
        PicolloTool.RunHere("stat", "-p", "1", "--input", _path).Error.Should().StartWith("picollo: --input requires a command.\n");

    [FactNeeding(Need.Linux)]
    public void A_failed_warm_up_run_is_a_failure()
    {
        // Only the first run fails.
        string command = $"[ -e {_path}.ran ] || {{ : > {_path}.ran; exit 7; }}";

        ToolRun run = PicolloTool.Run("stat", "--warmup", "2", "-r", "2", "--save", $"{_path}.json", "-c", command);

        run.ExitCode.Should().Be(7);
        run.Error.Should().Contain("\n1 of 2 warm-up runs failed; the first exited with code 7\n").And.Contain("\n2 runs\n")
            .And.EndWith($"\nbaseline not saved to {_path}.json: not all runs succeeded\n").And.NotContain(" of 2 runs failed");
        File.Exists($"{_path}.json").Should().BeFalse();
    }

    [FactNeeding(Need.Linux)]
    public void A_failed_warm_up_run_fails_the_comparison_with_a_baseline()
    {
        PicolloTool.Run("stat", "-r", "2", "--save", $"{_path}.json", "--", "true").ExitCode.Should().Be(0);

        ToolRun run = PicolloTool.Run(
            "stat", "--json", "--warmup", "1", "-r", "2", "--baseline", $"{_path}.json", "-c", $"[ -e {_path}.ran ] || {{ : > {_path}.ran; kill -9 $$; }}");

        run.ExitCode.Should().Be(1);
        run.Output.Should().Contain("1 of 1 warm-up runs failed; the first was terminated by signal 9").And.NotContain("\"kind\":\"gate\"");
    }
}
