namespace Picollo.Profiling.Sampling;

/// <summary>Executable memory of a process.</summary>
/// <param name="Start">The first address.</param>
/// <param name="Length">The length in bytes.</param>
/// <param name="FileOffset">The offset of the memory in the file.</param>
/// <param name="Path">The path of the file, as the process sees it. Memory without a file has an empty path, a name in brackets, or
/// <c>//anon</c>.</param>
internal readonly record struct CodeMapping(ulong Start, ulong Length, ulong FileOffset, string Path)
{
    /// <summary>Whether it is memory for code that the .NET runtime generates, or the runtime itself.</summary>
    public bool BelongsToRuntime => IsRuntimeMemory || Path.EndsWith("/libcoreclr.so", StringComparison.Ordinal);

    /// <summary>Whether it is memory for code that the .NET runtime generates.</summary>
    public bool IsRuntimeMemory => Path.StartsWith("/memfd:doublemapper", StringComparison.Ordinal);

    /// <summary>Parses the executable mappings of <c>/proc/PID/maps</c> (proc_pid_maps(5)). Lines of another form are skipped.</summary>
    public static IEnumerable<CodeMapping> Parse(IEnumerable<string> lines)
    {
        const int Fields = 6; // start-end permissions offset device inode path
        foreach (string line in lines)
        {
            string[] fields = line.Split(' ', Fields, StringSplitOptions.RemoveEmptyEntries);
            if (fields is [string range, [_, _, 'x', ..], string offset, _, _, ..]
                && range.Split('-') is [string first, string end]
                && TryParse(first, out ulong start) && TryParse(end, out ulong limit) && limit > start
                && TryParse(offset, out ulong fileOffset))
            {
                yield return new CodeMapping(start, limit - start, fileOffset, fields.Length == Fields ? fields[^1] : "");
            }
        }
    }

    private static bool TryParse(string text, out ulong number) =>
        ulong.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out number);
}
