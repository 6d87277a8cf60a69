namespace Picollo.Profiling.Symbols;

/// <summary>The methods that a runtime has compiled, by address, from the text that it writes for perf(1): one line <c>START SIZE NAME</c>
/// per method (tools/perf/Documentation/jit-interface.txt of Linux; src/coreclr/vm/perfmap.cpp of .NET). A later line replaces earlier
/// ones at its addresses, because code is moved and memory is reused.</summary>
/// <remarks>Immutable. Lines of another form are skipped, because any program may have written the file. The last line is skipped if it has
/// no end, because its name may be incomplete.</remarks>
internal sealed class PerfMap
{
    private const int MaxHexDigits = 16;

    /// <summary>The maximum number of entries, 64 MB: many times the number of methods of the largest applications.</summary>
    private const int MaxEntries = 2_000_000;

    private readonly byte[] _text;
    private readonly Entry[] _entries;

    private PerfMap(byte[] text, Entry[] entries, bool isDotnet, bool isComplete) =>
        (_text, _entries, IsDotnet, IsComplete) = (text, entries, isDotnet, isComplete);

    /// <summary>Whether .NET wrote it, so that its names have the form of <see cref="PerfMapMethod"/>.</summary>
    public bool IsDotnet { get; }

    /// <summary>Whether all lines were written and read. The runtime stops at the first line that does not fit on the disk.</summary>
    public bool IsComplete { get; }

    public static PerfMap Parse(byte[] text, bool isDotnet)
    {
        var entries = new List<Entry>();
        int start = 0;
        while (start < text.Length && entries.Count < MaxEntries)
        {
            ReadOnlySpan<byte> line = text.AsSpan(start);
            int length = line.IndexOf((byte)'\n');
            if (length < 0)
            {
                break;
            }

            line = line[..length].TrimEnd((byte)'\r');
            if (TryParse(line, out ulong address, out ulong size, out int name))
            {
                ulong last = address + Math.Min(size - 1, ulong.MaxValue - address);
                entries.Add(new Entry(address, last, entries.Count, start + name, line.Length - name));
            }

            start += length + 1;
        }

        return new PerfMap(text, Separate(entries), isDotnet, isComplete: entries.Count > 0 && start == text.Length);
    }

    /// <summary>Returns the text of the method at an address; null if there is none. If there are several, the one compiled last.</summary>
    public string? NameAt(ulong address)
    {
        int index = Array.BinarySearch(_entries, new Entry(address, 0, int.MaxValue, 0, 0));
        index = index < 0 ? ~index - 1 : index;
        return index < 0 || _entries[index].Last < address ? null
            : Encoding.UTF8.GetString(_text, _entries[index].NameStart, Math.Min(_entries[index].NameLength, MethodNames.MaxLength));
    }

    /// <summary>Returns, in order, the addresses at which each method is the last one.</summary>
    private static Entry[] Separate(List<Entry> entries)
    {
        var separate = new List<Entry>(entries.Count);
        var containing = new PriorityQueue<Entry, int>(); // the last line first
        entries.Sort();
        ulong address = 0;
        for (int next = 0; next < entries.Count || containing.Count > 0;)
        {
            if (containing.Count == 0)
            {
                address = entries[next].Start;
            }

            for (; next < entries.Count && entries[next].Start == address; next++)
            {
                containing.Enqueue(entries[next], -entries[next].Order);
            }

            Entry method = containing.Peek();
            if (method.Last < address)
            {
                containing.Dequeue();
                continue;
            }

            ulong last = next < entries.Count ? Math.Min(method.Last, entries[next].Start - 1) : method.Last;
            separate.Add(method with { Start = address, Last = last });
            if (last == ulong.MaxValue)
            {
                break;
            }

            address = last + 1;
        }

        return [.. separate];
    }

    private static bool TryParse(ReadOnlySpan<byte> line, out ulong address, out ulong size, out int name)
    {
        name = 0;
        size = 0;
        return TryParseHex(line, ref name, out address) && TryParseHex(line, ref name, out size) && size > 0 && name < line.Length;
    }

    /// <summary>Parses a hexadecimal number, which may start with <c>0x</c>, and the following white space.</summary>
    private static bool TryParseHex(ReadOnlySpan<byte> line, ref int start, out ulong number)
    {
        ReadOnlySpan<byte> blank = " \t"u8;
        number = 0;
        ReadOnlySpan<byte> rest = line[start..];
        int prefix = rest is [(byte)'0', (byte)'x' or (byte)'X', ..] ? 2 : 0;
        int length = rest.IndexOfAny(blank);
        bool isNumber = length > prefix && length - prefix <= MaxHexDigits
            && ulong.TryParse(rest[prefix..length], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out number);
        start = isNumber ? line.Length - rest[length..].TrimStart(blank).Length : start;
        return isNumber;
    }

    private readonly record struct Entry(ulong Start, ulong Last, int Order, int NameStart, int NameLength) : IComparable<Entry>
    {
        public int CompareTo(Entry other) => Start != other.Start ? Start.CompareTo(other.Start) : Order.CompareTo(other.Order);
    }
}

/// <summary>The name of a method in a perf map of .NET: <c>instance void [App] App.Type::Method(int32)[Tier1]</c>.</summary>
/// <remarks>The module is a file name. The tier is empty if it is unknown.</remarks>
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
