using System.Text;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Tests.Shell;

/// <summary>Widths of text in cells.</summary>
public class CellTextTests
{
    [Fact]
    public void East_Asian_characters_and_emoji_take_two_cells_and_combining_characters_none() =>
        ((string[])["", "plain", "Ä…é", "e\u0301", "日本", "한글", "ｶﾅ", "🙂"]).Select(text => CellText.WidthOf(text))
            .Should().Equal(0, 5, 3, 1, 4, 4, 2, 2);

    [Fact]
    public void Text_that_does_not_fit_ends_with_a_plus()
    {
        foreach ((string text, int cells, string fitting) in ((string, int, string)[])
            [("name", 4, "name"), ("names", 4, "nam+"), ("日本語", 5, "日本+"), ("日本語", 4, "日+"), ("🙂🙂", 2, "+"), ("x", 0, "")])
        {
            StringBuilder to = new();
            CellText.AppendFitting(to, text, cells).Should().Be(CellText.WidthOf(fitting));
            to.ToString().Should().Be(fitting);
        }
    }

    [Fact]
    public void Text_is_truncated_between_characters() => Seeded.Run(2_000, random =>
    {
        StringBuilder text = new();
        for (int i = random.Next(12); i > 0; i--)
        {
            int value = random.Next(4) switch { 0 => random.Next(' ', 0x7F), 1 => random.Next(0x300, 0xD800), 2 => random.Next(0xE000, 0x10000), _ => random.Next(0x10000, 0x110000) };
            text.Append(new Rune(value).ToString());
        }

        int cells = random.Next(16);
        StringBuilder to = new();
        int width = CellText.AppendFitting(to, text.ToString(), cells);

        width.Should().Be(CellText.WidthOf(to.ToString())).And.BeLessThanOrEqualTo(cells);
        to.ToString().EnumerateRunes().Should().NotContain(rune => rune == Rune.ReplacementChar && !text.ToString().Contains('\uFFFD'));
        string kept = to.ToString();
        text.ToString().Should().StartWith(kept == text.ToString() ? kept : kept.TrimEnd('+'));
    });
}
