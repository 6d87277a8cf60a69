namespace Picollo.Profiling.Sampling;

/// <summary>The distinct stacks of a process, as addresses, with their numbers of samples. Not thread-safe.</summary>
internal sealed class SampleTree(NodeBudget budget)
{
    /// <summary>The node of stacks whose outermost callers the kernel did not record.</summary>
    public const ulong Truncated = ulong.MaxValue;

    private const int None = -1;
    private const int Missing = -2;

    private readonly Dictionary<(int Parent, ulong Address), int> _children = [];
    private readonly List<Node> _nodes = [];

    public long SampleCount { get; private set; }

    /// <summary>The nodes, each after its parent.</summary>
    public IReadOnlyList<Node> Nodes => _nodes;

    /// <summary>Adds a sample, innermost address first (<see cref="PerfRecord.CallChain"/>); false if there are too many stacks.</summary>
    public bool TryAdd(ReadOnlySpan<ulong> chain, int maxStackLength) => TryAdd(chain, maxStackLength, out _);

    /// <inheritdoc cref="TryAdd(ReadOnlySpan{ulong}, int)"/>
    /// <param name="chain">The addresses.</param>
    /// <param name="maxStackLength">The number of addresses from which on the outermost ones are missing.</param>
    /// <param name="parent">The index of the node of the innermost address.</param>
    public bool TryAdd(ReadOnlySpan<ulong> chain, int maxStackLength, out int parent)
    {
        parent = None;
        if (CountAddresses(chain) >= maxStackLength && !TryAddNode(Truncated, ref parent))
        {
            return false;
        }

        for (int i = chain.Length - 1; i >= 0; i--)
        {
            // The address of a caller is its return address, which may already be in the next function, so subtract 1 to stay inside the
            // call. There is no code at address 0, but code without frame pointers may lead there.
            ulong address = chain[i];
            if (address != 0 && !IsMark(address) && !TryAddNode(IsInnermost(chain, i) ? address : address - 1, ref parent))
            {
                return false;
            }
        }

        if (parent == None)
        {
            return false; // no address at all
        }

        SampleCount++;
        _nodes[parent] = _nodes[parent] with { OwnSampleCount = _nodes[parent].OwnSampleCount + 1 };
        return true;
    }

    /// <summary>Adds the samples of another tree. Returns their number, which is lower if there are too many distinct stacks.</summary>
    public long AddAll(SampleTree other)
    {
        long added = 0;
        int[] places = new int[other._nodes.Count];
        for (int i = 0; i < places.Length; i++)
        {
            Node node = other._nodes[i];
            places[i] = node.Parent == None ? None : places[node.Parent];
            if (!TryAddNode(node.Address, ref places[i]))
            {
                places[i] = Missing; // so are the nodes below it, because no memory is released in the meantime
            }
            else if (node.OwnSampleCount > 0)
            {
                int place = places[i];
                _nodes[place] = _nodes[place] with { OwnSampleCount = _nodes[place].OwnSampleCount + node.OwnSampleCount };
                added += node.OwnSampleCount;
            }
        }

        SampleCount += added;
        return added;
    }

    /// <summary>Releases the memory budget. The tree does not change, because another thread may still read it.</summary>
    public void Release() => budget.Return(_nodes.Count);

    private static int CountAddresses(ReadOnlySpan<ulong> chain)
    {
        int count = 0;
        foreach (ulong address in chain)
        {
            count += IsMark(address) ? 0 : 1;
        }

        return count;
    }

    /// <summary>PERF_CONTEXT_KERNEL and similar marks: the following addresses are those of the kernel or of the program.</summary>
    private static bool IsMark(ulong address) => address >= unchecked((ulong)-4095);

    /// <summary>Whether it is the sampled instruction, or the system call that entered the kernel.</summary>
    private static bool IsInnermost(ReadOnlySpan<ulong> chain, int i) => i == 0 || IsMark(chain[i - 1]);

    private bool TryAddNode(ulong address, ref int parent)
    {
        if (_children.TryGetValue((parent, address), out int node))
        {
            parent = node;
            return true;
        }

        if (!budget.TryTake())
        {
            return false;
        }

        _nodes.Add(new Node(parent, address, 0));
        _children.Add((parent, address), parent = _nodes.Count - 1);
        return true;
    }

    /// <summary>An address on one path of calls. The index of the parent is -1 for none.</summary>
    public readonly record struct Node(int Parent, ulong Address, long OwnSampleCount);
}

/// <summary>The memory for the trees of all processes of a profile, in nodes of about 60 bytes.</summary>
internal sealed class NodeBudget(int nodes)
{
    private int _left = nodes;

    public bool TryTake() => _left > 0 && _left-- > 0;

    public void Return(int nodes) => _left += nodes;
}
