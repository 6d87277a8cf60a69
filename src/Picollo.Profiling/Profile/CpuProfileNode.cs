namespace Picollo.Profiling;

/// <summary>A function on one call path in a <see cref="CpuProfile"/>, with its callees.</summary>
/// <remarks>Immutable and thread-safe once the profile is complete.</remarks>
public sealed class CpuProfileNode
{
    private readonly Dictionary<CpuProfileFrame, CpuProfileNode> _children = [];

    internal CpuProfileNode(CpuProfileFrame frame) => Frame = frame;

    /// <summary>The function.</summary>
    public CpuProfileFrame Frame { get; }

    /// <summary>The value of this function and its callees on this path, in <see cref="CpuProfile.SampleUnit"/>.</summary>
    public long Value { get; private set; }

    /// <summary>The value of this function itself on this path, in <see cref="CpuProfile.SampleUnit"/>.</summary>
    public long OwnValue { get; private set; }

    /// <summary>The callees, ordered by descending value. Sorted on each call.</summary>
    public IReadOnlyList<CpuProfileNode> Children =>
        [.. _children.Values.OrderByDescending(child => child.Value).ThenBy(child => child.Frame.Name, StringComparer.Ordinal)];

    /// <summary>Adds samples of one stack, the outermost caller first, below this node.</summary>
    internal void Add(ReadOnlySpan<CpuProfileFrame> stack, long count)
    {
        CpuProfileNode node = this;
        node.Value += count;
        foreach (CpuProfileFrame frame in stack)
        {
            ref CpuProfileNode? child = ref CollectionsMarshal.GetValueRefOrAddDefault(node._children, frame, out _);
            node = child ??= new CpuProfileNode(frame);
            node.Value += count;
        }

        node.OwnValue += count;
    }
}

/// <summary>The values of one function on all paths of a <see cref="CpuProfile"/>.</summary>
public sealed record CpuProfileMethod
{
    internal CpuProfileMethod(CpuProfileFrame frame, long ownValue, long value) => (Frame, OwnValue, Value) = (frame, ownValue, value);

    /// <summary>The function.</summary>
    public CpuProfileFrame Frame { get; }

    /// <summary>The value of the function itself, in <see cref="CpuProfile.SampleUnit"/>.</summary>
    public long OwnValue { get; }

    /// <summary>The value of the function and its callees, in <see cref="CpuProfile.SampleUnit"/>. A recursion counts once.</summary>
    public long Value { get; }
}
