using System.Text;

namespace Picollo.Cli.Shell;

/// <summary>What a key of a terminal is for.</summary>
internal enum KeyCode
{
    /// <summary>A letter, digit or sign: <see cref="Key.Rune"/>.</summary>
    Text,
    Enter,
    Escape,
    Backspace,

    /// <summary>Ctrl+U: the whole line is wrong.</summary>
    EraseLine,

    /// <summary>Ctrl+L: something has written over the screen.</summary>
    Redraw,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
}

/// <summary>A key that was pressed.</summary>
/// <param name="Code">What it is for.</param>
/// <param name="Rune">Its character, where it is one.</param>
internal readonly record struct Key(KeyCode Code, Rune Rune = default)
{
    /// <summary>Its character where that is of ASCII, else NUL.</summary>
    public char Char => Code == KeyCode.Text && Rune.IsAscii ? (char)Rune.Value : '\0';
}
