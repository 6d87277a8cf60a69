using System.Runtime.InteropServices;

namespace Picollo.Profiling;

/// <summary>A function on one path of calls in a <see cref="CpuProfile"/>, and what it called there.</summary>
/// <remarks>Immutable once the profile is complete; then thread-safe.</remarks>
public sealed class CpuProfileNode
{
    private readonly Dictionary<CpuProfileFrame, CpuProfileNode> _children = [];

    internal CpuProfileNode(CpuProfileFrame frame) => Frame = frame;

    /// <summary>The function.</summary>
    public CpuProfileFrame Frame { get; }

    /// <summary>Number of samples in this function and in what it called on this path.</summary>
    public long SampleCount { get; private set; }

    /// <summary>Number of samples in this function itself on this path.</summary>
    public long OwnSampleCount { get; private set; }

    /// <summary>The functions that it called, those with the most samples first. Sorted on each call.</summary>
    public IReadOnlyList<CpuProfileNode> Children =>
        [.. _children.Values.OrderByDescending(child => child.SampleCount).ThenBy(child => child.Frame.Name, StringComparer.Ordinal)];

    /// <summary>Adds samples of one stack below this node.</summary>
    /// <param name="stack">The functions, the outermost caller first.</param>
    /// <param name="count">Number of samples.</param>
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
