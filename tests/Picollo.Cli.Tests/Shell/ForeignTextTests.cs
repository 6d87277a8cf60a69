using System.Text.Json;
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
    public void Control_characters_are_replaced_by_question_marks(string text, string clean) => ForeignText.Clean(text).Should().Be(clean);

    [Fact]
    public void Half_a_surrogate_pair_is_replaced_by_a_question_mark() => ForeignText.Clean("half \ud83d").Should().Be("half ?"); // an attribute cannot contain it

    [Fact]
    public void Json_keeps_the_text_and_escapes_control_characters()
    {
        const string Foreign = "a\e[2J\u202Eb\u2028\u200D\u0085\U000E0041\uE000é日🙂\"\\";

        string line = ToolJson.Note(Foreign);

        line.Should().NotContainAny("\e", "\u202E", "\u2028", "\u200D", "\u0085", "\U000E0041").And.Contain("é日");
        using JsonDocument json = JsonDocument.Parse(line);
        json.RootElement.GetProperty("text").GetString().Should().Be(Foreign);
        ToolJson.Note("plain").Should().Be("{\"kind\":\"note\",\"text\":\"plain\"}");
    }
}
