using System.Globalization;
using System.Text;

namespace Picollo.Cli.Jitter;

/// <summary>CPUs by number, as taskset(1) and the kernel's files have them: <c>0-3,8</c>, or a mask of hexadecimal digits,
/// <c>0x10F</c>.</summary>
internal static class CpuList
{
    /// <summary>The largest number that a kernel can be built for (NR_CPUS), less one.</summary>
    public const int Highest = 8191;

    private const int BitsPerDigit = 4;

    /// <summary>The numbers, ascending, each once; null where the text is none of the two.</summary>
    public static int[]? Parse(string text)
    {
        SortedSet<int> cpus = [];
        bool isRight = text.StartsWith("0x", StringComparison.OrdinalIgnoreCase) ? AddMask(cpus, text.AsSpan(2)) : AddRanges(cpus, text);
        return isRight && cpus.Count > 0 ? [.. cpus] : null;
    }

    /// <summary><c>0-3,8 = 5 [0x10F]</c>.</summary>
    public static string Describe(IReadOnlyList<int> cpus) => FormattableString.Invariant($"{Format(cpus)} = {cpus.Count} [{Mask(cpus)}]");

    /// <summary><c>0-3,8</c>.</summary>
    /// <param name="cpus">Ascending.</param>
    public static string Format(IReadOnlyList<int> cpus)
    {
        StringBuilder text = new();
        for (int i = 0; i < cpus.Count;)
        {
            int first = cpus[i];
            int last = first;
            while (++i < cpus.Count && cpus[i] == last + 1)
            {
                last++;
            }

            text.Append(text.Length > 0 ? "," : "").Append(CultureInfo.InvariantCulture, $"{first}");
            if (last > first)
            {
                text.Append(CultureInfo.InvariantCulture, $"-{last}");
            }
        }

        return text.ToString();
    }

    /// <summary><c>0x10F</c>.</summary>
    public static string Mask(IReadOnlyList<int> cpus)
    {
        int[] digits = new int[cpus.Count == 0 ? 1 : (cpus.Max() / BitsPerDigit) + 1];
        foreach (int cpu in cpus)
        {
            digits[^((cpu / BitsPerDigit) + 1)] |= 1 << (cpu % BitsPerDigit);
        }

        return "0x" + string.Concat(digits.Select(digit => digit.ToString("X", CultureInfo.InvariantCulture)));
    }

    private static bool AddMask(SortedSet<int> cpus, ReadOnlySpan<char> digits)
    {
        digits = digits.TrimStart('0');
        if (digits.Length > (Highest + 1) / BitsPerDigit)
        {
            return false;
        }

        for (int i = 0; i < digits.Length; i++)
        {
            if (!char.IsAsciiHexDigit(digits[i]))
            {
                return false;
            }

            int bits = Convert.ToInt32(digits[i].ToString(), 16);
            for (int bit = 0; bit < BitsPerDigit; bit++)
            {
                if ((bits & (1 << bit)) != 0)
                {
                    cpus.Add(((digits.Length - 1 - i) * BitsPerDigit) + bit);
                }
            }
        }

        return true;
    }

    private static bool AddRanges(SortedSet<int> cpus, string text)
    {
        foreach (string range in text.Split(','))
        {
            string[] ends = range.Split('-');
            if (ends.Length > 2 || Number(ends[0]) is not { } first || Number(ends[^1]) is not { } last || last < first)
            {
                return false;
            }

            cpus.UnionWith(Enumerable.Range(first, last - first + 1));
        }

        return true;
    }

    private static int? Number(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number <= Highest ? number : null;
}
