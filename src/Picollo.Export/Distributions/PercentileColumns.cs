using Picollo.Export.Text;

namespace Picollo.Export;

/// <summary>The columns of a percentile distribution, as its heading names them, and the decimal separator of its numbers.</summary>
/// <remarks>The libraries and tools that write this format separate columns with spaces, tabs, commas or semicolons. Some write numbers in
/// the culture of the machine, even if a comma also separates columns. The first ones put commas between the names and spaces between the
/// numbers.</remarks>
internal sealed class PercentileColumns
{
    private const char WhiteSpace = ' ';

    // A comma, or the separator of Arabic and Persian.
    private static readonly System.Buffers.SearchValues<char> DecimalSeparators = System.Buffers.SearchValues.Create(".,\u066B");

    private readonly int _count;
    private readonly int _rank;
    private char _separator; // that of the names until the first line of numbers
    private bool _isKnown; // a line of numbers was read

    private PercentileColumns(char separator, int count, int rank) => (_separator, _count, _rank) = (separator, count, rank);

    /// <summary>The decimal separator; null until a line shows it.</summary>
    public char? DecimalSeparator { get; private set; }

    private int TotalCount => _rank + 1;

    private int Inverse => _rank + 2;

    /// <summary>Returns the columns if a line is a heading; otherwise, <see langword="null"/>.</summary>
    public static PercentileColumns? OfHeading(string line)
    {
        line = line.TrimStart('#', ' ', '\t');
        if (!line.Contains("Value", StringComparison.OrdinalIgnoreCase))
        {
            return null;
        }

        char separator = SeparatorOf(line);
        List<string> names = Split(line, separator);
        int rank = names.Count > 2 && IsNamed(names[2], "QuantileIteration") ? 2 : 1; // the Rust library also prints the exact quantile
        return names.Count > rank + 1 && names.Count <= rank + 3
            && IsNamed(names[0], "Value")
            && (rank == 2 || IsNamed(names[1], "Percentile"))
            && IsNamed(names[rank + 1], "TotalCount")
            && (names.Count <= rank + 2 || names[rank + 2].StartsWith("1/(1-", StringComparison.Ordinal))
                ? new(separator, names.Count, rank)
                : null;
    }

    /// <summary>Returns the usual columns for a distribution without a heading, from its first line.</summary>
    public static PercentileColumns OfData(string line) => new(SeparatorOf(line), 4, 1);

    public bool TryParse(string line, out PercentileNumbers numbers)
    {
        if (!TryParse(line, _separator, out numbers))
        {
            if (_isKnown || !TryParse(line, WhiteSpace, out numbers))
            {
                return false;
            }

            _separator = WhiteSpace;
        }

        _isKnown = true;
        return true;
    }

    private bool TryParse(string line, char columnSeparator, out PercentileNumbers numbers)
    {
        numbers = default;
        List<string> fields = Split(line, columnSeparator);
        if (columnSeparator == ',' && fields.Count > _count)
        {
            JoinDecimals(fields);
        }

        if (fields.Count <= TotalCount)
        {
            return false;
        }

        char separator = DecimalSeparator ?? FindDecimalSeparator(fields) ?? '.';
        bool hasInverse = _count > Inverse && fields.Count > Inverse;
        PrintedNumber inverse = default;
        if (!PrintedNumber.TryParse(fields[0], separator, out PrintedNumber value)
            || !PrintedNumber.TryParse(fields[_rank], separator, out PrintedNumber rank)
            || rank.Value > 1
            || !ulong.TryParse(fields[TotalCount], NumberStyles.None, CultureInfo.InvariantCulture, out ulong total))
        {
            return false;
        }

        if (hasInverse && !PrintedNumber.TryParse(fields[Inverse], separator, out inverse))
        {
            inverse = new(double.PositiveInfinity, 0); // inf, Infinity, ∞, 1.#INF, or a word of the culture
        }

        numbers = new(value, rank, total, hasInverse ? inverse : null);
        DecimalSeparator ??= FindDecimalSeparator(fields);
        return true;
    }

    private static bool IsNamed(string column, string name) =>
        column.Replace("_", "", StringComparison.Ordinal).StartsWith(name, StringComparison.OrdinalIgnoreCase);

    private static char SeparatorOf(string line) =>
        line.Contains(';', StringComparison.Ordinal) ? ';' : line.Contains(',', StringComparison.Ordinal) ? ',' : WhiteSpace;

    /// <summary>Splits a line. Separators within double quotes are part of a field.</summary>
    private static List<string> Split(string line, char separator)
    {
        if (separator == WhiteSpace)
        {
            return [.. line.Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries).Select(field => field.Trim('"'))];
        }

        List<string> fields = [];
        int start = 0;
        bool isQuoted = false;
        for (int i = 0; i <= line.Length; i++)
        {
            if (i == line.Length || (line[i] == separator && !isQuoted))
            {
                fields.Add(line[start..i].Trim(' ', '\t', '"'));
                start = i + 1;
            }
            else
            {
                isQuoted ^= line[i] == '"';
            }
        }

        return fields;
    }

    /// <summary>Joins the halves of numbers that a decimal comma has split: <c>1,000,0,500000,6,2,00</c>. The rank always has decimals, the
    /// count has none, the last column is a number with decimals or a word, and the rest is the value.</summary>
    private void JoinDecimals(List<string> fields)
    {
        if (_count > Inverse && fields[^1].All(char.IsAsciiDigit))
        {
            Join(fields.Count - 2);
        }

        int rank = fields.Count - (_count - _rank);
        if (rank > 0)
        {
            Join(rank - 1);
        }

        if (fields.Count > _count)
        {
            Join(0);
        }

        void Join(int first)
        {
            fields[first] = $"{fields[first]},{fields[first + 1]}";
            fields.RemoveAt(first + 1);
        }
    }

    /// <summary>Finds the separator in the rank, which has no other one; otherwise, in the other numbers.</summary>
    private char? FindDecimalSeparator(List<string> fields)
    {
        foreach (int column in (ReadOnlySpan<int>)[_rank, 0, Inverse])
        {
            int index = column < fields.Count ? fields[column].AsSpan().IndexOfAny(DecimalSeparators) : -1;
            if (index >= 0)
            {
                return fields[column][index];
            }
        }

        return null;
    }
}

/// <summary>The numbers of a line of a percentile distribution, with the errors of their rounding. The rank is from 0 to 1. The count
/// includes the value. The inverse, 1/(1−rank), is null if the line does not contain it.</summary>
internal readonly record struct PercentileNumbers(PrintedNumber Value, PrintedNumber Rank, ulong TotalCount, PrintedNumber? Inverse);
