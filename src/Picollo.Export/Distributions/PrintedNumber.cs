namespace Picollo.Export;

/// <summary>A number that was read from a text, and the largest error of its rounding: half a unit of its last digit.</summary>
internal readonly record struct PrintedNumber(double Value, double Error)
{
    private const NumberStyles Styles = NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;

    public double Min => Value - Error;

    public double Max => Value + Error;

    /// <summary>Parses digits with an optional decimal separator and an optional exponent. No-break spaces, which group digits in some
    /// cultures, are ignored.</summary>
    public static bool TryParse(string text, char decimalSeparator, out PrintedNumber number)
    {
        text = text.Replace("\u00A0", "", StringComparison.Ordinal).Replace("\u202F", "", StringComparison.Ordinal);
        int at = text.IndexOf(decimalSeparator, StringComparison.Ordinal);
        string point = at < 0 ? text : $"{text.AsSpan(0, at)}.{text.AsSpan(at + 1)}";
        bool isNumber = double.TryParse(point, Styles, CultureInfo.InvariantCulture, out double value)
            && (decimalSeparator == '.' || !text.Contains('.', StringComparison.Ordinal))
            && double.IsFinite(value);
        if (!isNumber)
        {
            number = default;
            return false;
        }

        int decimals = at < 0 ? 0 : EndOfDigits(text) - at - 1;
        number = new(value, Math.Pow(10, ExponentOf(text) - decimals) / 2);
        return true;
    }

    private static int EndOfDigits(string text) => text.AsSpan().IndexOfAny('e', 'E') is var end && end < 0 ? text.Length : end;

    private static int ExponentOf(string text) =>
        EndOfDigits(text) is var end && end < text.Length ? int.Parse(text.AsSpan(end + 1), CultureInfo.InvariantCulture) : 0;
}
