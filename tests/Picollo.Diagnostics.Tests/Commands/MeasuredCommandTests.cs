namespace Picollo.Diagnostics.Tests;

public class MeasuredCommandTests
{
    [Fact]
    public void A_command_is_shown_with_the_quotes_of_a_shell()
    {
        MeasuredCommand.FromArguments("ls").Text.Should().Be("ls");
        MeasuredCommand.FromArguments("sh", "-c", "a b", "", "it's", "x=1").ToString().Should().Be(@"sh -c 'a b' '' 'it'\''s' x=1");
        MeasuredCommand.FromText("a | b").Text.Should().Be("a | b");
    }

    [FactNeeding(Need.Linux)]
    public void A_text_is_run_by_the_shell()
    {
        MeasuredCommand command = MeasuredCommand.FromText("a | b");

        (command.IsText, command.OutputToError).Should().Be((true, false));
        command.ArgumentList.Should().Equal("/bin/sh", "-c", "a | b");
    }

    [Fact]
    public void Redirected_output_changes_nothing_else()
    {
        MeasuredCommand command = MeasuredCommand.FromText("a").WithOutputToError();

        (command.Text, command.IsText, command.OutputToError).Should().Be(("a", true, true));
        MeasuredCommand.FromArguments("a").IsText.Should().BeFalse();
    }

    [Fact]
    public void Settings_are_kept_in_any_order()
    {
        foreach (MeasuredCommand command in (MeasuredCommand[])[MeasuredCommand.FromText("a").WithOutputToError().WithNormalScheduling(), MeasuredCommand.FromText("a").WithNormalScheduling().WithOutputToError()])
        {
            (command.Text, command.IsText, command.OutputToError, command.HasNormalScheduling).Should().Be(("a", true, true, true));
        }

        MeasuredCommand.FromText("a").HasNormalScheduling.Should().BeFalse();
    }

    [Fact]
    public void Invalid_commands_are_rejected()
    {
        FluentActions.Invoking(() => MeasuredCommand.FromArguments("")).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => MeasuredCommand.FromArguments("a", "b\0c")).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => MeasuredCommand.FromText("  ")).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => MeasuredCommand.FromText("a\0")).Should().Throw<ArgumentException>();
    }
}
