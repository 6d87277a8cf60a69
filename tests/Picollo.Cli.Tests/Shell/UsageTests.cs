using System.Text.RegularExpressions;

namespace Picollo.Cli.Tests.Shell;

/// <summary>Help and invalid arguments of all commands.</summary>
public sealed partial class UsageTests
{
    [Theory]
    [InlineData("", 0)]
    [InlineData("stat", 3)]
    [InlineData("hist", 7)]
    [InlineData("record", 9)]
    [InlineData("jitter", 5)]
    [InlineData("jitter plot", 0)]
    [InlineData("jitter samples", 0)]
    [InlineData("top", 10)]
    [InlineData("run", 3)]
    public void Help_has_examples_exit_codes_and_the_options_in_the_guide_and_fits_80_columns(string command, int least)
    {
        string guide = File.ReadAllText(Path.Combine(Repository.Root, "docs", "command-line.md")).ReplaceLineEndings("\n");
        string section = least == 0 ? "" : guide[guide.IndexOf($"\n## picollo {command}\n", StringComparison.Ordinal)..]; // subcommands have none
        section = least == 0 ? "" : section[..section.IndexOf("\n## ", 1, StringComparison.Ordinal)];

        ToolRun run = PicolloTool.RunHere([.. command.Split(' ', StringSplitOptions.RemoveEmptyEntries), "--help"]);

        (run.ExitCode, run.Error).Should().Be((0, ""));
        run.Output.Should().ContainAll(command == "" ? ["Commands:", "Exit codes:"] : ["Examples:", "Exit codes:"]);
        run.Output.Split('\n').Should().OnlyContain(line => line.Length <= 80);
        InlineOption().Matches(section).Select(match => match.Groups[1].Value).Distinct().Should().HaveCountGreaterThanOrEqualTo(least)
            .And.BeSubsetOf(run.Output.Split([' ', ',', '\n'], StringSplitOptions.RemoveEmptyEntries));
    }

    /// <param name="command">The command.</param>
    /// <param name="invalid">Its arguments, separated by spaces; an underscore is a space in an argument. The message contains the first
    /// option.</param>
    [Theory]
    [InlineData("hist", "--scale 0", "--on-error stop", "x - --diff -", "x --hlog z --diff y", "x --from 5 --to 2026-11-23", "x --untagged --tag a")]
    [InlineData("hist", "--format csv", "--format x", "--format hgrm --column 1")]
    [InlineData("record", "--nosuch -- true", "-p 0", "-p 1 -- true", "--duration 0 -p 1", "--duration 5 -- true", "--frequency 0 -- true")]
    [InlineData("record", "--frequency 10001 -- true", "--type cpu -- true", "--diff a", "--diff a b --diff c", "--diff a b c", "--diff a b -p 1")]
    [InlineData("record", "--diff a b --kernel")]
    [InlineData("stat", "-r 0 -- true", "--nosuch ls -r 2", "--fail-above 5% -- ls -r", "--fail-above=5% --baseline=x -- true", "--compare true --json")]
    [InlineData("stat", "--fail-above=-5% --baseline=x -r2 true", "--per-thread -r2 -- true", "-I100 -r2 -- true", "-I 0 -- true", "-p 0", "-p 1 -r 2")]
    [InlineData("stat", "-p 1 --warmup 2", "--input x -p 1", "--save x -p 1", "--warmup -1 -- true", "--prepare _ -- true")]
    [InlineData("jitter", "-a 3-1", "-i 2s", "-i 500 -N", "-p 100", "-D 5w", "-l 0", "-b x", "-c _", "-s -v", "-x 1")]
    [InlineData("jitter plot", "x -o x.html --samples", "x -o x.jpg")]
    [InlineData("run", "--port 0 -- true", "--port x -- true", "--measure cpu -- true", "--html -- true")]
    [InlineData("top", "-d 0", "-d NaN", "-n 0", "-p 1,x", "-o COMMAND", "-w 0", "-u no-such-user", "--nonsense", "-t 5 -d 0")]
    public void Invalid_options_are_reported(string command, params string[] invalid)
    {
        foreach (string arguments in invalid)
        {
            string option = arguments.Split(' ').First(word => word.Length > 1 && word[0] == '-').Split('=')[0];

            Report($"{command} {arguments}").Should().Contain(option.TrimEnd('0', '1')).And.NotContain("must follow --");
        }
    }

    [Theory]
    [InlineData("\e]0;x\a[/]", "Unrecognized command or argument '?]0;x?[/]'.")]
    [InlineData("hist --colum x", "Unrecognized option '--colum'; for a file with this name, use './--colum'.")]
    [InlineData("record", "Specify either a process (-p PID) or a command (after --).")]
    [InlineData("record -- ", "The command is empty.")]
    [InlineData("record cp -p x y", "\nA command with options must follow --: picollo record -- CMD ARGS\n")]
    [InlineData("stat", "Specify one command, after -- or with -c, or two or more commands with --compare.")]
    [InlineData("stat -c _ --json", "The command is empty.")]
    [InlineData("stat ls -r", "\nA command with options must follow --: picollo stat -- CMD ARGS\n")]
    [InlineData("stat -e instrutions -- true", "There is no event \"instrutions\". Similar names: instructions, ")]
    [InlineData("jitter samples a b", "picollo: ")]
    public void Other_invalid_arguments_are_reported(string arguments, string message) => Report(arguments).Should().Contain(message);

    private static string Report(string arguments)
    {
        ToolRun run = PicolloTool.RunHere([.. arguments.Split(' ').Select(word => word.Replace('_', ' '))]);

        (run.ExitCode, run.Output).Should().Be((2, ""));
        run.Error.Should().StartWith("picollo: ").And.NotContain("\e").And.MatchRegex("\nTry 'picollo( [a-z]+){0,2} --help'.\n$");
        return run.Error;
    }

    [GeneratedRegex("(?:`|picollo [a-z]+ )(--?[A-Za-z0-9][a-z-]*)")]
    private static partial Regex InlineOption();
}
