using System.Text.Json;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Tests.Shell;

public class ForeignTextTests
{
    [Fact]
    public void Control_characters_are_replaced_by_question_marks() => ((string[])
        ["plain [bold]text[/]", "\e]0;x[/]", "a\nb\tc\rd\0e\u007f\u0085", "\u202Eabc\u2028\u200B", "Zoë 漢字 😀", "", "half \ud83d"])
            .Select(ForeignText.Clean)
        .Should().Equal("plain [bold]text[/]", "?]0;x[/]", "a?b?c?d?e??", "?abc??", "Zoë 漢字 😀", "", "half ?");

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
