using System.Text;
using Picollo.Cli.Shell;
using Picollo.Cli.Top;

namespace Picollo.Cli.Tests.Top;

public class InputLineTests
{
    [Fact]
    public void A_line_can_be_typed_and_edited()
    {
        InputLine line = new();
        foreach (char letter in "12x")
        {
            line.Add(new Key(KeyCode.Text, new Rune(letter))).Should().BeFalse();
        }

        line.Add(new Key(KeyCode.Backspace)).Should().BeFalse();
        line.Add(new Key(KeyCode.Up)).Should().BeFalse();
        line.Text.Should().Be("12");
        line.Add(new Key(KeyCode.EraseLine)).Should().BeFalse();
        line.Add(new Key(KeyCode.Backspace)).Should().BeFalse();
        line.Add(new Key(KeyCode.Text, new Rune(0x1F600))).Should().BeFalse();
        line.Add(new Key(KeyCode.Enter)).Should().BeTrue();
        line.Text.Should().Be("😀");
        line.Add(new Key(KeyCode.Backspace)).Should().BeFalse();
        line.Text.Should().BeEmpty();
        line.Add(new Key(KeyCode.Escape)).Should().BeNull();
        for (int i = 0; i < 1000; i++)
        {
            line.Add(new Key(KeyCode.Text, new Rune('x'))); // a held key
        }

        line.Text.Should().HaveLength(256);
    }
}
