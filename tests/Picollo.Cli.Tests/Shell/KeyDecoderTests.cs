using System.Text;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Tests.Shell;

public class KeyDecoderTests
{
    [Fact]
    public void Bytes_are_decoded_to_keys()
    {
        foreach ((string sent, string keys) in ((string, string)[])
        [
            ("q", "q"), ("Pä漢😀", "P ä 漢 😀"), ("\r\n", "Enter Enter"), ("\x7f\b\x15\x0c", "Backspace Backspace EraseLine Redraw"),
            ("\0\x01\x1f", ""),
            ("\e[A\e[B\eOA\eOB", "Up Down Up Down"), ("\e[H\e[F\eOH\eOF\e[1~\e[4~\e[7~\e[8~", "Home End Home End Home End Home End"),
            ("\e[5~\e[6~\e[5;5~", "PageUp PageDown PageUp"), ("\e[1;5A\e[1;2B", "Up Down"), ("\e[11~\e[200~\e[?1;2c\eOPx", "x"),
            ("\e[[A\e[[Bx", "x"), // F1 and F2 of the Linux console
            ("\e", "Escape"), ("\e\e", "Escape Escape"), ("\eq", "Escape q"), ("\e[", ""), ("\e[1;", ""),
        ])
        {
            KeysOf(Encoding.UTF8.GetBytes(sent)).Should().Be(keys);
        }
    }

    [Fact]
    public void Keys_after_invalid_bytes_and_an_endless_sequence_are_decoded()
    {
        KeysOf([0xC3, 0x28, 0xFF, (byte)'q', 0xE2, 0x82]).Should().Be("( q");
        KeysOf(Encoding.ASCII.GetBytes($"\e[{new string('1', 1000)}q")).Should().EndWith("q");
    }

    [Fact]
    public void A_sequence_that_arrives_in_parts_is_one_key() => Seeded.Run(200, random =>
    {
        string[] choices = ["q", "ä", "😀", "\r", "\e[A", "\eOF", "\e[5~", "\e[1;5B", "\e[[A", "\e[24~", "\x15"];
        byte[] bytes = Encoding.UTF8.GetBytes(string.Concat(random.GetItems(choices, random.Next(1, 20))));
        KeyDecoder decoder = new();
        List<Key> keys = [];
        foreach (byte each in bytes)
        {
            decoder.Add([each]);
            Take(decoder, keys, isAll: false);
        }

        decoder.IsIncomplete.Should().BeFalse();
        Text(keys).Should().Be(KeysOf(bytes));
    });

    private static string KeysOf(byte[] bytes)
    {
        KeyDecoder decoder = new();
        decoder.Add(bytes);
        List<Key> keys = [];
        Take(decoder, keys, isAll: true);
        decoder.IsIncomplete.Should().BeFalse();
        return Text(keys);
    }

    private static void Take(KeyDecoder decoder, List<Key> keys, bool isAll)
    {
        while (decoder.Take(isAll) is { } key)
        {
            keys.Add(key);
        }
    }

    private static string Text(List<Key> keys) => string.Join(' ', keys.Select(key => key.Code == KeyCode.Text ? key.Rune.ToString() : key.Code.ToString()));
}
