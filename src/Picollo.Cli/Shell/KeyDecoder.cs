using System.Buffers;

namespace Picollo.Cli.Shell;

internal enum KeyCode
{
    /// <summary>A character: <see cref="Key.Rune"/>.</summary>
    Text,
    Enter,
    Escape,
    Backspace,

    /// <summary>Ctrl+U.</summary>
    EraseLine,

    /// <summary>Ctrl+L.</summary>
    Redraw,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
}

/// <param name="Rune">The character if the code is <see cref="KeyCode.Text"/>.</param>
internal readonly record struct Key(KeyCode Code, Rune Rune = default)
{
    /// <summary>The character if it is ASCII; otherwise, NUL.</summary>
    public char Char => Code == KeyCode.Text && Rune.IsAscii ? (char)Rune.Value : '\0';
}

/// <summary>Decodes the bytes that a terminal sends: UTF-8, and the ECMA-48 sequences that xterm and similar terminals send for arrows and
/// other keys. Drops an unknown sequence as a whole, so that no part of it is interpreted as a key.</summary>
internal sealed class KeyDecoder
{
    private const byte Esc = 0x1B;
    private const int MaxLength = 64; // far longer than the sequence of any key

    private readonly List<byte> _bytes = [];

    /// <summary>Whether the bytes may be the start of a longer sequence. A single Escape byte is incomplete until a timeout has
    /// passed.</summary>
    public bool IsIncomplete => _bytes.Count > 0;

    public void Add(ReadOnlySpan<byte> bytes) => _bytes.AddRange(bytes);

    /// <param name="isAll">Whether the timeout for further bytes has passed, so that an incomplete sequence is treated as complete.</param>
    /// <returns>The key; null if there is no complete one.</returns>
    public Key? Take(bool isAll)
    {
        while (_bytes.Count > 0)
        {
            int length = _bytes[0] == Esc ? LengthOfSequence(isAll) : LengthOfCharacter(isAll);
            if (length == 0)
            {
                return null;
            }

            byte[] taken = [.. _bytes[..length]];
            _bytes.RemoveRange(0, length);
            Key? key = taken[0] == Esc ? KeyOfSequence(taken) : KeyOfCharacter(taken);
            if (key is not null)
            {
                return key;
            }
        }

        return null;
    }

    private int LengthOfCharacter(bool isAll)
    {
        ReadOnlySpan<byte> bytes = CollectionsMarshal.AsSpan(_bytes);
        return Rune.DecodeFromUtf8(bytes, out _, out int length) == OperationStatus.NeedMoreData && !isAll ? 0 : length;
    }

    // ESC [ parameters final, ESC O final, or ESC alone, which is followed by another key.
    private int LengthOfSequence(bool isAll)
    {
        if (_bytes.Count == 1)
        {
            return isAll ? 1 : 0;
        }

        if (_bytes[1] is not ((byte)'[' or (byte)'O'))
        {
            return 1;
        }

        int i = 2;
        if (_bytes[1] == '[')
        {
            if (_bytes.Count > 2 && _bytes[2] == '[')
            {
                i = 3; // Linux console: ESC [ [ A is F1
            }

            while (i < _bytes.Count && i < MaxLength && _bytes[i] is >= 0x20 and < 0x40)
            {
                i++;
            }
        }

        return i < _bytes.Count ? i + 1 : isAll ? _bytes.Count : 0;
    }

    private static Key? KeyOfCharacter(byte[] bytes) => bytes[0] switch
    {
        (byte)'\r' or (byte)'\n' => new Key(KeyCode.Enter),
        0x7F or (byte)'\b' => new Key(KeyCode.Backspace),
        0x15 => new Key(KeyCode.EraseLine),
        0x0C => new Key(KeyCode.Redraw),
        < 0x20 => null,
        _ => Rune.DecodeFromUtf8(bytes, out Rune rune, out _) == OperationStatus.Done && !Rune.IsControl(rune)
            ? new Key(KeyCode.Text, rune)
            : null,
    };

    // A modifier adds parameters before the letter: ESC [ 1 ; 5 A is Ctrl+Up, and is treated as Up.
    private static Key? KeyOfSequence(byte[] bytes) => bytes.Length == 1 ? new Key(KeyCode.Escape) : (char)bytes[^1] switch
    {
        'A' when bytes[2] != '[' => new Key(KeyCode.Up),
        'B' when bytes[2] != '[' => new Key(KeyCode.Down),
        'H' => new Key(KeyCode.Home),
        'F' => new Key(KeyCode.End),
        '~' => Encoding.ASCII.GetString(bytes, 2, bytes.Length - 3).Split(';')[0] switch
        {
            "1" or "7" => new Key(KeyCode.Home),
            "4" or "8" => new Key(KeyCode.End),
            "5" => new Key(KeyCode.PageUp),
            "6" => new Key(KeyCode.PageDown),
            _ => null,
        },
        _ => null,
    };
}
