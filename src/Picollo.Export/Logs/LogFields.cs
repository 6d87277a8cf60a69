namespace Picollo.Export;

/// <summary>Splits a line of a log into fields. A comma or space precedes each field and is optional before the first. Two of them in a row
/// enclose an empty field, as in the scanner of the HdrHistogram libraries. HdrHistogram.NET writes numbers in the culture of the machine,
/// so a comma can also be within a number.</summary>
internal ref struct LogFields(ReadOnlySpan<byte> line)
{
    private readonly ReadOnlySpan<byte> _line = line;
    private int _next;
    private bool _hasDecimalCommas;

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

    /// <summary>Returns whether a field is a histogram in base64: the start of each encoding is the same.</summary>
    public static bool IsHistogram(ReadOnlySpan<byte> field) => field.StartsWith("HIST"u8) || field.StartsWith("DHIST"u8);

    /// <summary>Checks whether the next numbers have decimal commas, <c>0,127,1,007</c>, and reads them accordingly if so.</summary>
    /// <param name="count">The number of numbers. A histogram must follow more than one.</param>
    public void FindDecimalCommas(int count)
    {
        LogFields fields = this;
        for (int i = 0; i < count; i++)
        {
            bool isNumber = IsDigits(fields.Next().TrimStart((byte)'-'))
                && fields._next < _line.Length && _line[fields._next] == ','
                && IsDigits(fields.Next());
            if (!isNumber)
            {
                return;
            }
        }

        _hasDecimalCommas = count == 1 || IsHistogram(fields.Next());
    }

    public bool TryNextNumber(out double number) =>
        double.TryParse(NextNumber(), NumberStyles.Float, CultureInfo.InvariantCulture, out number);

    /// <summary>Reads the next field as a time in seconds, up to ten thousand years, rounded to ticks.</summary>
    public bool TryNextSeconds(out TimeSpan seconds)
    {
        const decimal Limit = 316_000_000_000; // larger than the calendar; the sum of two is still a valid TimeSpan
        const NumberStyles Style = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        bool isTime = decimal.TryParse(NextNumber(), Style, CultureInfo.InvariantCulture, out decimal value) && Math.Abs(value) < Limit;
        seconds = isTime ? new TimeSpan((long)decimal.Round(value * TimeSpan.TicksPerSecond)) : default;
        return isTime;
    }

    private static bool IsDigits(ReadOnlySpan<byte> field) => !field.IsEmpty && !field.ContainsAnyExceptInRange((byte)'0', (byte)'9');

    /// <summary>Returns the next number, with a decimal point instead of a comma.</summary>
    private ReadOnlySpan<byte> NextNumber()
    {
        ReadOnlySpan<byte> field = Next();
        if (!_hasDecimalCommas)
        {
            return field;
        }

        int start = Position;
        Next();
        Position = start;
        byte[] number = _line[start.._next].ToArray();
        number.AsSpan().Replace((byte)',', (byte)'.');
        return number;
    }
}
