using System.Text;

namespace Picollo.Cli.Shell;

/// <summary>A line that the user types.</summary>
internal sealed class InputLine
{
    private const int MaxLength = 256;

    private readonly List<Rune> _runes = [];

    public string Text => string.Concat(_runes);

    /// <summary>Handles a key.</summary>
    /// <returns><see langword="true"/> if the line is complete; <see langword="false"/> if it is not; null if the input was
    /// canceled.</returns>
    public bool? Add(Key key)
    {
        switch (key.Code)
        {
            case KeyCode.Enter:
                return true;
            case KeyCode.Escape:
                return null;
            case KeyCode.EraseLine:
                _runes.Clear();
                break;
            case KeyCode.Backspace when _runes.Count > 0:
                _runes.RemoveAt(_runes.Count - 1);
                break;
            case KeyCode.Text when _runes.Count < MaxLength:
                _runes.Add(key.Rune);
                break;
        }

        return false;
    }
}
