namespace Picollo.Export.Text;

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
        int separator = text.IndexOf(decimalSeparator, StringComparison.Ordinal);
        string point = separator < 0 ? text : $"{text.AsSpan(0, separator)}.{text.AsSpan(separator + 1)}";
        int end = text.AsSpan().IndexOfAny('e', 'E') is var found && found < 0 ? text.Length : found;
        int exponent = 0;
        bool isNumber = double.TryParse(point, Styles, CultureInfo.InvariantCulture, out double value)
            && (decimalSeparator == '.' || !text.Contains('.', StringComparison.Ordinal))
            && double.IsFinite(value)
            && (end == text.Length || int.TryParse(text.AsSpan(end + 1), CultureInfo.InvariantCulture, out exponent));
        int decimals = separator < 0 ? 0 : end - separator - 1;
        number = isNumber ? new(value, Math.Pow(10, exponent - decimals) / 2) : default;
        return isNumber;
    }
}
