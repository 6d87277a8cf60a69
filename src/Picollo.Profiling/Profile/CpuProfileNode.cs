namespace Picollo.Profiling;

/// <summary>A function on one call path in a <see cref="CpuProfile"/>, with its callees.</summary>
/// <remarks>Immutable and thread-safe once the profile is complete.</remarks>
public sealed class CpuProfileNode
{
    private readonly Dictionary<CpuProfileFrame, CpuProfileNode> _children = [];

    internal CpuProfileNode(CpuProfileFrame frame) => Frame = frame;

    /// <summary>The function.</summary>
    public CpuProfileFrame Frame { get; }

    /// <summary>The number of samples in this function and its callees on this path.</summary>
    public long SampleCount { get; private set; }

    /// <summary>The number of samples in this function itself on this path.</summary>
    public long OwnSampleCount { get; private set; }

    /// <summary>The callees, ordered by descending number of samples. Sorted on each call.</summary>
    public IReadOnlyList<CpuProfileNode> Children =>
        [.. _children.Values.OrderByDescending(child => child.SampleCount).ThenBy(child => child.Frame.Name, StringComparer.Ordinal)];

    /// <summary>Adds samples of one stack, the outermost caller first, below this node.</summary>
    internal void Add(ReadOnlySpan<CpuProfileFrame> stack, long count)
    {
        CpuProfileNode node = this;
        node.SampleCount += count;
        foreach (CpuProfileFrame frame in stack)
        {
            ref CpuProfileNode? child = ref CollectionsMarshal.GetValueRefOrAddDefault(node._children, frame, out _);
            node = child ??= new CpuProfileNode(frame);
            node.SampleCount += count;
        }

        node.OwnSampleCount += count;
    }
}

/// <summary>The samples of one function on all paths of a <see cref="CpuProfile"/>.</summary>
/// <param name="Frame">The function.</param>
/// <param name="OwnSampleCount">The number of samples in the function itself.</param>
/// <param name="SampleCount">The number of samples in the function and its callees. A sample in a recursion counts once.</param>
public sealed record CpuProfileMethod(CpuProfileFrame Frame, long OwnSampleCount, long SampleCount);
