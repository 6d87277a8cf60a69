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
