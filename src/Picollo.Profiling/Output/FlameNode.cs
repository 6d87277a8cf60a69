namespace Picollo.Profiling.Output;

/// <summary>A node of a profile at its place in a flame graph.</summary>
/// <param name="Frame">The function.</param>
/// <param name="Start">Number of samples to the left of it.</param>
/// <param name="SampleCount">Number of samples: its width.</param>
/// <param name="Depth">Number of callers: its row.</param>
internal readonly record struct FlameNode(CpuProfileFrame Frame, long Start, long SampleCount, int Depth)
{
    public static readonly CpuProfileFrame Other = new("(other)", "", CpuProfileFrameKind.Group);

    /// <summary>The nodes of a profile, each before what it called, and that with the most samples first.</summary>
    /// <param name="root">The profile's root.</param>
    /// <param name="least">Children of a node with fewer samples are merged into one node <see cref="Other"/>, the last.</param>
    public static IEnumerable<FlameNode> Of(CpuProfileNode root, long least)
    {
        // Not recursive: a stack may be as deep as the kernel is set to record it.
        Stack<(FlameNode Place, CpuProfileNode? Node)> open = new([(new(root.Frame, 0, root.SampleCount, 0), root)]);
        while (open.TryPop(out (FlameNode Place, CpuProfileNode? Node) next))
        {
            FlameNode place = next.Place;
            yield return place;
            if (next.Node is not { } node)
            {
                continue;
            }

            IReadOnlyList<CpuProfileNode> children = node.Children;
            int kept = children.TakeWhile(child => child.SampleCount >= least).Count();
            long end = place.Start + node.SampleCount - node.OwnSampleCount;
            long other = children.Skip(kept).Sum(child => child.SampleCount);
            if (other > 0)
            {
                end -= other;
                open.Push((new(Other, end, other, place.Depth + 1), null));
            }

            for (int i = kept - 1; i >= 0; i--)
            {
                end -= children[i].SampleCount;
                open.Push((new(children[i].Frame, end, children[i].SampleCount, place.Depth + 1), children[i]));
            }
        }
    }
}
