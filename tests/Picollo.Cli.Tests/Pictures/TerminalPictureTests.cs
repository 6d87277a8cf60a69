using System.Xml.Linq;

namespace Picollo.Cli.Tests.Pictures;

/// <summary>Rows of a terminal as runs of text with a position.</summary>
public sealed class TerminalPictureTests
{
    [Fact]
    public void Attributes_last_until_they_are_reset() => TerminalPicture.RunsOf("a\e[1mb\e[7mc\e[22md\e[27me\e[1;7mf\e[0mg\e[1mh\e[mi").Should().Equal(
        new TerminalPicture.Run(0, "a", false, false),
        new TerminalPicture.Run(1, "b", true, false),
        new TerminalPicture.Run(2, "c", true, true),
        new TerminalPicture.Run(3, "d", false, true),
        new TerminalPicture.Run(4, "e", false, false),
        new TerminalPicture.Run(5, "f", true, true),
        new TerminalPicture.Run(6, "g", false, false),
        new TerminalPicture.Run(7, "h", true, false),
        new TerminalPicture.Run(8, "i", false, false));

    [Fact]
    public void Spaces_are_kept_only_in_reverse_video() => TerminalPicture.RunsOf("  a b  \e[7m c  \e[m   ").Should().Equal(
        new TerminalPicture.Run(2, "a b", false, false),
        new TerminalPicture.Run(7, " c  ", false, true));

    [Fact]
    public void A_color_is_rejected() =>
        FluentActions.Invoking(() => TerminalPicture.RunsOf("\e[31mred").ToList()).Should().Throw<FormatException>().WithMessage("*31*");

    [Fact]
    public void Each_run_has_the_position_and_length_of_its_cells()
    {
        XElement picture = XElement.Parse(TerminalPicture.Draw("a <title> & more", ["first", "   <&> \e[7mx\e[m"], columns: 10));

        XElement[] texts = [.. picture.Elements().Where(one => one.Name.LocalName == "text")];
        texts.Select(text => (text.Value, (string)text.Attribute("x")!, (string)text.Attribute("y")!, (string)text.Attribute("textLength")!, (string)text.Attribute("class")!))
            .Should().Equal(("first", "12", "26", "42", "text"), ("<&>", "37.2", "45", "25.2", "text"), ("x", "70.8", "45", "8.4", "rest"));
        picture.Elements().Where(one => (string?)one.Attribute("class") == "bar").Should().ContainSingle().Which.Attribute("width")!.Value.Should().Be("8.4");
        picture.Elements().First().Value.Should().Be("a <title> & more");
        ((string)picture.Attribute("width")!, (string)picture.Attribute("height")!).Should().Be(("108", "62"));
    }
}
