using Picollo.Cli.Shell;

namespace Picollo.Cli.Tests.Shell;

public class ForeignTextTests
{
    [Theory]
    [InlineData("plain [bold]text[/]", "plain [bold]text[/]")]
    [InlineData("\e]0;x[/]", "?]0;x[/]")]
    [InlineData("a\nb\tc\rd\0e\u007f\u0085", "a?b?c?d?e??")]
    [InlineData("\u202Eabc\u2028\u200B", "?abc??")]
    [InlineData("Zoë 漢字 😀", "Zoë 漢字 😀")]
    [InlineData("", "")]
    public void What_would_steer_a_terminal_is_a_question_mark(string text, string clean) => ForeignText.Clean(text).Should().Be(clean);

    [Fact]
    public void Half_a_surrogate_pair_is_a_question_mark() => ForeignText.Clean("half \ud83d").Should().Be("half ?"); // no attribute can hold it
}
