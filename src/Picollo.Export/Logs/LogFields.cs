namespace Picollo.Export;

/// <summary>Splits a line of a log into fields. A comma or space precedes each field and is optional before the first. Two of them in a row
/// enclose an empty field, as in the scanner of the HdrHistogram libraries.</summary>
internal ref struct LogFields(ReadOnlySpan<byte> line)
{
    private readonly ReadOnlySpan<byte> _line = line;
    private int _next;

    /// <summary>The position of the current field in the line.</summary>
    public int Position { get; private set; }

    public ReadOnlySpan<byte> Next()
    {
        if (_next < _line.Length && _line[_next] is (byte)' ' or (byte)',')
        {
            _next++;
        }

        Position = _next;
        int length = _line[_next..].IndexOfAny((byte)' ', (byte)',');
        _next = length < 0 ? _line.Length : _next + length;
        return _line[Position.._next];
    }

    /// <summary>Reads the next field as a time in seconds, up to ten thousand years, rounded to ticks.</summary>
    public bool TryNextSeconds(out TimeSpan seconds)
    {
        const decimal Limit = 316_000_000_000; // larger than the calendar; the sum of two is still a valid TimeSpan
        const NumberStyles Style = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        bool isTime = decimal.TryParse(Next(), Style, CultureInfo.InvariantCulture, out decimal value) && Math.Abs(value) < Limit;
        seconds = isTime ? new TimeSpan((long)decimal.Round(value * TimeSpan.TicksPerSecond)) : default;
        return isTime;
    }
}
