namespace Picollo.Profiling.Sampling;

/// <summary>A process while it runs one program: its code and its samples. After <c>execve(2)</c> a new instance is used.</summary>
internal sealed class SampledProcess(int id, string name, NodeBudget budget)
{
    /// <summary>The maximum number of mappings. If a program continually maps and unmaps code, only the latest mappings are
    /// kept.</summary>
    private const int MaxMappings = 20_000;

    private readonly Lock _gate = new();
    private readonly List<CodeMapping> _mappings = [];

    public int Id => id;

    /// <summary>The name of its main thread, or of the program.</summary>
    public string Name { get; set; } = name;

    public SampleTree Samples { get; } = new(budget);

    /// <summary>Whether it has executed another program in the meantime, so that <c>/proc</c> describes that one.</summary>
    public bool IsReplaced { get; private set; }

    /// <summary>Whether its main thread has ended.</summary>
    public bool HasEnded { get; set; }

    /// <summary>Its executable memory so far, in the order in which it was mapped: a later mapping replaces an earlier one. Any thread may
    /// read it.</summary>
    public IReadOnlyList<CodeMapping> Mappings
    {
        get
        {
            lock (_gate)
            {
                return [.. _mappings];
            }
        }
    }

    public void Add(in CodeMapping mapping)
    {
        lock (_gate)
        {
            if (_mappings.Count >= MaxMappings)
            {
                _mappings.RemoveRange(0, MaxMappings / 2);
            }

            _mappings.Add(mapping);
        }
    }

    /// <summary>Returns the same process with the program that it has executed.</summary>
    public SampledProcess Exec(string programName)
    {
        IsReplaced = true;
        return new SampledProcess(id, programName, budget);
    }

    /// <summary>Returns the process that this one created by <c>fork(2)</c>, which starts with the same code.</summary>
    public SampledProcess Fork(int childId)
    {
        var child = new SampledProcess(childId, Name, budget);
        child._mappings.AddRange(_mappings);
        return child;
    }
}

/// <summary>Executable memory of a process. The path is the one that the process sees. Memory without a file has an empty path, a name in
/// brackets, or <c>//anon</c>.</summary>
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
