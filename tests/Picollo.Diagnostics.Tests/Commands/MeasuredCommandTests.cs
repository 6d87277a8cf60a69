namespace Picollo.Diagnostics.Tests;

public class MeasuredCommandTests
{
    [Fact]
    public void A_command_is_shown_with_the_quotes_of_a_shell_and_a_text_is_run_by_the_shell()
    {
        MeasuredCommand.FromArguments("ls").Text.Should().Be("ls");
        MeasuredCommand.FromArguments("sh", "-c", "a b", "", "it's", "x=1").ToString().Should().Be(@"sh -c 'a b' '' 'it'\''s' x=1");
        MeasuredCommand command = MeasuredCommand.FromText("a | b");
        (command.Text, command.IsText, command.OutputToError, command.HasNormalScheduling).Should().Be(("a | b", true, false, false));
        if (!OperatingSystem.IsWindows())
        {
            command.ArgumentList.Should().Equal("/bin/sh", "-c", "a | b");
        }
    }

    [Fact]
    public void Settings_are_kept_in_any_order()
    {
        MeasuredCommand text = MeasuredCommand.FromText("a"), program = MeasuredCommand.FromArguments("a");
        foreach (MeasuredCommand command in (MeasuredCommand[])
            [text.WithOutputToError().WithNormalScheduling(), text.WithNormalScheduling().WithOutputToError(), program.WithNormalScheduling().WithOutputToError()])
        {
            (command.Text, command.OutputToError, command.HasNormalScheduling).Should().Be(("a", true, true));
        }

        (text.WithOutputToError().IsText, text.WithOutputToError().HasNormalScheduling, program.WithOutputToError().IsText)
            .Should().Be((true, false, false));
    }

    [Fact]
    public void Invalid_commands_are_rejected()
    {
        foreach (Func<MeasuredCommand> invalid in (Func<MeasuredCommand>[])
        [
            () => MeasuredCommand.FromArguments(""), () => MeasuredCommand.FromArguments("a", "b\0c"), () => MeasuredCommand.FromText("  "),
            () => MeasuredCommand.FromText("a\0"),
        ])
        {
            invalid.Should().Throw<ArgumentException>();
        }
    }
}
