namespace Picollo.Export;

/// <summary>The fields of a log's line. One comma or space stands before each but the first, where it may; two in a row have an empty
/// field between them, as the family's scanner takes it.</summary>
internal ref struct LogFields(ReadOnlySpan<byte> line)
{
    private readonly ReadOnlySpan<byte> _line = line;
    private int _next;

    /// <summary>Where the field read last begins.</summary>
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

    /// <summary>Reads a time in seconds, up to ten thousand years, as whole ticks.</summary>
    public bool TryNextSeconds(out TimeSpan seconds)
    {
        const decimal Limit = 316_000_000_000; // above all of the calendar; sums of two such still are times
        const NumberStyles Style = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        bool isTime = decimal.TryParse(Next(), Style, CultureInfo.InvariantCulture, out decimal value) && Math.Abs(value) < Limit;
        seconds = isTime ? new TimeSpan((long)decimal.Round(value * TimeSpan.TicksPerSecond)) : default;
        return isTime;
    }
}
