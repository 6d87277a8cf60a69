using System.Globalization;

namespace Picollo.PerfEvent;

/// <summary>One term of an event as sysfs and <c>perf</c> write it: <c>umask=0x3</c>, or a name alone.</summary>
internal readonly record struct PerfEventTerm(string Name, ulong? Value)
{
    /// <summary>Terms between commas.</summary>
    /// <exception cref="FormatException">A term has no name, or a value that is no number.</exception>
    public static IEnumerable<PerfEventTerm> ParseList(string text) =>
        [.. text.Split(',', StringSplitOptions.TrimEntries).Select(Parse)];

    private static PerfEventTerm Parse(string text)
    {
        string[] parts = text.Split('=', 2, StringSplitOptions.TrimEntries);
        if (parts[0].Length == 0 || parts[0].AsSpan().ContainsAny("/.") || parts[0] == "..")
        {
            throw new FormatException($"\"{text}\" is no term of an event: a name, or name=value, is.");
        }

        if (parts.Length == 1)
        {
            return new PerfEventTerm(parts[0], null);
        }

        return TryParseNumber(parts[1], out ulong value)
            ? new PerfEventTerm(parts[0], value)
            : throw new FormatException($"\"{parts[1]}\" in \"{text}\" is no number: decimal, or hexadecimal after 0x, is.");
    }

    private static bool TryParseNumber(string text, out ulong value) =>
        text.StartsWith("0x", StringComparison.OrdinalIgnoreCase)
            ? ulong.TryParse(text.AsSpan(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out value)
            : ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value);
}
