using System.Text;

namespace Picollo.Profiling.Symbols;

/// <summary>The methods that a runtime has compiled, by address, from the text that it writes for perf(1): one line <c>START SIZE NAME</c>
/// per method (tools/perf/Documentation/jit-interface.txt of Linux; src/coreclr/vm/perfmap.cpp of .NET).</summary>
/// <remarks>Immutable. Lines of another form are skipped, because any program may have written the file.</remarks>
internal sealed class PerfMap
{
    /// <summary>The maximum number of overlapping entries. Entries overlap only if code was unloaded and its memory was reused.</summary>
    private const int MaxOverlaps = 64;

    private const int MaxHexDigits = 16;

    /// <summary>The maximum number of entries, 64 MB: many times the number of methods of the largest applications.</summary>
    private const int MaxEntries = 2_000_000;

    private readonly byte[] _text;
    private readonly Entry[] _entries;

    private PerfMap(byte[] text, Entry[] entries, bool isComplete) => (_text, _entries, IsComplete) = (text, entries, isComplete);

    /// <summary>Whether all lines were written and read. The runtime stops at the first line that does not fit on the disk.</summary>
    public bool IsComplete { get; }

    public static PerfMap Parse(byte[] text)
    {
        var entries = new List<Entry>();
        int start = 0;
        while (start < text.Length && entries.Count < MaxEntries)
        {
            ReadOnlySpan<byte> rest = text.AsSpan(start);
            int length = rest.IndexOf((byte)'\n') is >= 0 and var end ? end : rest.Length;
            if (TryParse(rest[..length], out ulong address, out ulong size, out int name))
            {
                entries.Add(new Entry(address, size, entries.Count, start + name, length - name));
            }

            start += length + 1;
        }

        Entry[] sorted = [.. entries];
        Array.Sort(sorted);
        return new PerfMap(text, sorted, isComplete: sorted.Length > 0 && start >= text.Length && text[^1] == '\n');
    }

    /// <summary>Returns the text of the method at an address; null if there is none. If there are several, the one compiled last.</summary>
    public string? NameAt(ulong address)
    {
        int index = Array.BinarySearch(_entries, new Entry(address, 0, int.MaxValue, 0, 0));
        int best = -1;
        for (int i = ~index - 1; i >= 0 && i >= ~index - MaxOverlaps; i--)
        {
            if (address - _entries[i].Start < _entries[i].Size && (best < 0 || _entries[i].Order > _entries[best].Order))
            {
                best = i;
            }
        }

        return best < 0 ? null
            : Encoding.UTF8.GetString(_text, _entries[best].NameStart, Math.Min(_entries[best].NameLength, MethodNames.MaxLength));
    }

    private static bool TryParse(ReadOnlySpan<byte> line, out ulong address, out ulong size, out int name)
    {
        int prefix = line.StartsWith("0x"u8) ? 2 : 0;
        name = prefix;
        size = 0;
        return TryParseHex(line, ref name, out address) && TryParseHex(line, ref name, out size) && size > 0 && name < line.Length;
    }

    /// <summary>Parses a hexadecimal number and the following space.</summary>
    private static bool TryParseHex(ReadOnlySpan<byte> line, ref int start, out ulong number)
    {
        number = 0;
        int length = line[start..].IndexOf((byte)' ');
        bool isNumber = length is > 0 and <= MaxHexDigits
            && ulong.TryParse(line.Slice(start, length), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out number);
        start += length + 1;
        return isNumber;
    }

    private readonly record struct Entry(ulong Start, ulong Size, int Order, int NameStart, int NameLength) : IComparable<Entry>
    {
        public int CompareTo(Entry other) => Start != other.Start ? Start.CompareTo(other.Start) : Order.CompareTo(other.Order);
    }
}

/// <summary>The name of a method in a perf map of .NET: <c>instance void [App] App.Type::Method(int32)[Tier1]</c>.</summary>
/// <param name="Name">The source name (<see cref="MethodNames"/>).</param>
/// <param name="Module">The file name of the assembly.</param>
/// <param name="Tier">The compilation tier, such as <c>Tier1</c>; empty if it is unknown.</param>
internal readonly record struct PerfMapMethod(string Name, string Module, string Tier)
{
    /// <summary>Parses the text; null if it is not a method, such as a stub.</summary>
    public static PerfMapMethod? Parse(string text)
    {
        int tierStart = text.EndsWith(']') ? text.LastIndexOf(")[", StringComparison.Ordinal) + 1 : 0;
        string tier = tierStart > 0 ? text[(tierStart + 1)..^1] : "";
        text = tierStart > 0 ? text[..tierStart] : text;

        // The assembly is the first name in brackets with a space on both sides: the result type has [Assembly]Type and int32[].
        for (int end = text.IndexOf("] ", StringComparison.Ordinal); end > 0; end = text.IndexOf("] ", end + 1, StringComparison.Ordinal))
        {
            int start = text.LastIndexOf('[', end);
            if (start > 0 && text[start - 1] == ' ')
            {
                string module = text[(start + 1)..end];
                string name = text[(end + 2)..];
                int parameters = name.IndexOf('(', StringComparison.Ordinal);
                return new PerfMapMethod(
                    MethodNames.Format(parameters > 0 ? name[..parameters] : name),
                    module.Contains(' ', StringComparison.Ordinal) ? module : module + ".dll",
                    tier);
            }
        }

        return null;
    }
}
