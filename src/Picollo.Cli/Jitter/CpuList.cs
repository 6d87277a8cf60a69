using System.Globalization;
using System.Numerics;
using Picollo.Diagnostics.Linux;

namespace Picollo.Cli.Jitter;

/// <summary>Lists of CPUs in the formats of taskset(1) and the kernel's files: <c>0-3,8</c>, or a hexadecimal mask,
/// <c>0x10F</c>.</summary>
internal static class CpuList
{
    /// <summary>The largest CPU number that a kernel can be built for (NR_CPUS - 1).</summary>
    public const int Highest = 8191;

    private const int BitsPerDigit = 4;

    /// <summary>The distinct numbers in ascending order; null if the text has neither format.</summary>
    public static int[]? Parse(string text)
    {
        SortedSet<int> cpus = [];
        bool isRight = text.StartsWith("0x", StringComparison.OrdinalIgnoreCase) ? AddMask(cpus, text[2..]) : AddRanges(cpus, text);
        return isRight && cpus.Count > 0 ? [.. cpus] : null;
    }

    /// <summary><c>0-3,8 = 5 [0x10F]</c>.</summary>
    public static string Describe(IReadOnlyList<int> cpus) => Invariant($"{Format(cpus)} = {cpus.Count} [{Mask(cpus)}]");

    /// <summary><c>0-3,8</c>.</summary>
    /// <param name="cpus">Ascending.</param>
    public static string Format(IReadOnlyList<int> cpus) => CpuChoice.Text([.. cpus]);

    /// <summary><c>0x10F</c>.</summary>
    public static string Mask(IReadOnlyList<int> cpus)
    {
        BigInteger mask = cpus.Aggregate(BigInteger.Zero, (bits, cpu) => bits | (BigInteger.One << cpu));
        return mask.IsZero ? "0x0" : $"0x{mask.ToString("X", CultureInfo.InvariantCulture).TrimStart('0')}"; // a leading 0 is its sign
    }

    private static bool AddMask(SortedSet<int> cpus, string digits)
    {
        if (digits.TrimStart('0').Length > (Highest + 1) / BitsPerDigit
            || !BigInteger.TryParse($"0{digits}", NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out BigInteger mask))
        {
            return false;
        }

        cpus.UnionWith(Enumerable.Range(0, (int)mask.GetBitLength()).Where(cpu => !(mask >> cpu).IsEven));
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
