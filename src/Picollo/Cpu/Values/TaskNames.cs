using System.Text.Unicode;

namespace Picollo.Cpu;

/// <summary>Caches the strings for the names of processes and threads.</summary>
/// <remarks>The key is the name, not the task, because kernel workers are named after their current work and alternate between a few
/// names.</remarks>
internal sealed class TaskNames
{
    /// <summary>Names have 15 bytes, those of kernel workers up to 63 (WQ_WORKER_ID_LEN and TASK_COMM_LEN in fs/proc/array.c), and a
    /// malformed file any number. Longer names are truncated.</summary>
    private const int MaxNameLength = 255;

    /// <summary>The number of names at which the cache is cleared, because the machine continually creates new names.</summary>
    private const int Capacity = 4096;

    private readonly HashSet<string> _names = new(StringComparer.Ordinal);
    private readonly HashSet<string>.AlternateLookup<ReadOnlySpan<char>> _lookup;

    public TaskNames() => _lookup = _names.GetAlternateLookup<ReadOnlySpan<char>>();

    public int Count => _names.Count;

    /// <summary>Returns the name in UTF-16, with U+FFFD for invalid UTF-8.</summary>
    public string Get(ReadOnlySpan<byte> name)
    {
        if (name.Length > MaxNameLength)
        {
            name = name[..MaxNameLength];
        }

        Span<char> buffer = stackalloc char[MaxNameLength]; // never more characters than bytes
        Utf8.ToUtf16(name, buffer, out _, out int length, replaceInvalidSequences: true);
        return Get(buffer[..length]);
    }

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
