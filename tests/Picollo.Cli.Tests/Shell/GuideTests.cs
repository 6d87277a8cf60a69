using System.Text.RegularExpressions;

namespace Picollo.Cli.Tests.Shell;

/// <summary>Checks that the options in docs/command-line.md exist.</summary>
public sealed partial class GuideTests
{
    [Theory]
    [InlineData("stat", 3)]
    [InlineData("hist", 7)]
    [InlineData("record", 9)]
    [InlineData("jitter", 5)]
    [InlineData("top", 10)]
    public void The_help_of_a_command_has_the_options_in_the_guide(string command, int least)
    {
        string guide = File.ReadAllText(Path.Combine(Repository.Root, "docs", "command-line.md")).ReplaceLineEndings("\n");
        string section = guide[guide.IndexOf($"\n## picollo {command}\n", StringComparison.Ordinal)..];
        section = section[..section.IndexOf("\n## ", 1, StringComparison.Ordinal)];
        string[] words = PicolloTool.RunHere(command, "--help").Output.Split([' ', ',', '\n'], StringSplitOptions.RemoveEmptyEntries);

        string[] options = [.. InlineOption().Matches(section).Select(match => match.Groups[1].Value).Distinct()];

        options.Should().HaveCountGreaterThanOrEqualTo(least).And.BeSubsetOf(words);
    }

    [GeneratedRegex("(?:`|picollo [a-z]+ )(--?[A-Za-z0-9][a-z-]*)")]
    private static partial Regex InlineOption();
}
