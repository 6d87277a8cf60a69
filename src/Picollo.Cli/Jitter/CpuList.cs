using System.Numerics;
using Picollo.Cpu.Linux;

namespace Picollo.Cli.Jitter;

/// <summary>Parses and formats CPU lists as taskset(1) and the kernel do: as ranges, <c>0-3,8</c>, or as a hexadecimal mask,
/// <c>0x10F</c>.</summary>
internal static class CpuList
{
    /// <summary>The largest CPU number that a kernel supports (NR_CPUS - 1).</summary>
    public const int Highest = 8191;

    private const int BitsPerDigit = 4;

    /// <summary>Returns the distinct CPU numbers in ascending order; null if the text is invalid.</summary>
    public static int[]? Parse(string text)
    {
        SortedSet<int> cpus = [];
        bool isValid = text.StartsWith("0x", StringComparison.OrdinalIgnoreCase) ? AddMask(cpus, text[2..]) : AddRanges(cpus, text);
        return isValid && cpus.Count > 0 ? [.. cpus] : null;
    }

    /// <summary>Formats ranges, count and mask: <c>0-3,8 = 5 [0x10F]</c>.</summary>
    public static string Describe(IReadOnlyList<int> cpus) => Invariant($"{Format(cpus)} = {cpus.Count} [{Mask(cpus)}]");

    /// <summary>Formats ranges: <c>0-3,8</c>.</summary>
    /// <param name="cpus">The CPU numbers in ascending order.</param>
    public static string Format(IReadOnlyList<int> cpus) => CpuMask.Format([.. cpus]);

    public static string Mask(IReadOnlyList<int> cpus)
    {
        BigInteger mask = cpus.Aggregate(BigInteger.Zero, (bits, cpu) => bits | (BigInteger.One << cpu));
        return mask.IsZero ? "0x0" : $"0x{mask.ToString("X", CultureInfo.InvariantCulture).TrimStart('0')}"; // a leading 0 is the sign
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

    private static int? Number(string text) => CommandOptions.Number(text, 0, Highest);
}
