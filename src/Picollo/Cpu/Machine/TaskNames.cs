using System.Text.Unicode;

namespace Picollo.Cpu;

/// <summary>Strings for the names of processes and threads, made once for each name.</summary>
/// <remarks>By name and not by task, since the kernel's workers are named after what they do, and each goes through a few
/// names.</remarks>
internal sealed class TaskNames
{
    /// <summary>Names have 15 bytes, those of the kernel's workers up to 63 (WQ_WORKER_ID_LEN and TASK_COMM_LEN in
    /// fs/proc/array.c), and a malformed file any number: what is longer is cut.</summary>
    private const int LongestName = 255;

    /// <summary>When so many names have been seen all are forgotten: the machine keeps making new ones.</summary>
    private const int Capacity = 4096;

    private readonly HashSet<string> _names = new(StringComparer.Ordinal);
    private readonly HashSet<string>.AlternateLookup<ReadOnlySpan<char>> _lookup;

    public TaskNames() => _lookup = _names.GetAlternateLookup<ReadOnlySpan<char>>();

    public int Count => _names.Count;

    /// <summary>The name in UTF-16, with U+FFFD for what is not UTF-8.</summary>
    public string Get(ReadOnlySpan<byte> name)
    {
        if (name.Length > LongestName)
        {
            name = name[..LongestName];
        }

        Span<char> buffer = stackalloc char[LongestName]; // never more characters than bytes
        Utf8.ToUtf16(name, buffer, out _, out int length, replaceInvalidSequences: true);
        return Get(buffer[..length]);
    }

    /// <summary>The name as it is.</summary>
    public string Get(ReadOnlySpan<char> characters)
    {
        if (_lookup.TryGetValue(characters, out string? known))
        {
            return known;
        }

        if (_names.Count >= Capacity)
        {
            _names.Clear();
        }

        string made = characters.ToString();
        _names.Add(made);
        return made;
    }
}
