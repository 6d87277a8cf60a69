namespace Picollo.Profiling.Output;

/// <summary>The position of a node in a flame graph of one or two profiles. Its depth is the number of callers.</summary>
internal readonly record struct FlameNode(CpuProfileFrame Frame, double Start, double Width, int Depth, SampleCounts Counts)
{
    public static readonly CpuProfileFrame Other = new("(other)", "", CpuProfileFrameKind.Group);
}

/// <summary>The tree of a profile, or the union of the trees of two compared profiles. A single profile has only one root.</summary>
internal sealed record FlameTree(CpuProfileNode Root, CpuProfileNode? RootAfter = null)
{
    public bool IsDifference => RootAfter is not null;

    public SampleCounts All => new(Root.Value, RootAfter?.Value ?? 0);

    public double Width => WidthOf(All);

    /// <summary>Returns a width: the number of samples of a profile; for a difference, the mean of two shares, so that functions that are
    /// missing in one profile are visible.</summary>
    public double WidthOf(SampleCounts counts)
    {
        if (!IsDifference)
        {
            return counts.Before;
        }

        SampleCounts all = All;
        return (counts.PercentBefore(all) + counts.PercentAfter(all)) / 200;
    }

    /// <summary>Returns the nodes, each before its callees, and the widest first.</summary>
    /// <param name="minWidth">The minimum width. Narrower children of a node are merged into one node <see cref="FlameNode.Other"/>, the
    /// last.</param>
    public IEnumerable<FlameNode> GetNodes(double minWidth)
    {
        // Not recursive, because a stack may be as deep as the kernel is configured to record it.
        Stack<(FlameNode Place, Pair Nodes)> open = new([(new(Root.Frame, 0, Width, 0, All), new(Root, RootAfter))]);
        while (open.TryPop(out (FlameNode Place, Pair Nodes) next))
        {
            FlameNode place = next.Place;
            yield return place;
            Pair[] children = ChildrenOf(next.Nodes);
            int kept = children.TakeWhile(child => WidthOf(child.Counts) >= minWidth).Count();
            SampleCounts other = children.Skip(kept).Aggregate(default(SampleCounts), (sum, child) => sum + child.Counts);
            double end = place.Start + children.Take(kept).Sum(child => WidthOf(child.Counts));
            if (other != default)
            {
                open.Push((new(FlameNode.Other, end, WidthOf(other), place.Depth + 1, other), default));
            }

            for (int i = kept - 1; i >= 0; i--)
            {
                double width = WidthOf(children[i].Counts);
                end -= width;
                open.Push((new(children[i].Frame, end, width, place.Depth + 1, children[i].Counts), children[i]));
            }
        }
    }

    private Pair[] ChildrenOf(Pair nodes)
    {
        IReadOnlyList<CpuProfileNode> before = nodes.Before?.Children ?? [];
        if (!IsDifference)
        {
            return [.. before.Select(child => new Pair(child, null))];
        }

        Dictionary<CpuProfileFrame, Pair> children = before.ToDictionary(child => child.Frame, child => new Pair(child, null));
        foreach (CpuProfileNode child in nodes.After?.Children ?? [])
        {
            children[child.Frame] = children.GetValueOrDefault(child.Frame) with { After = child };
        }

        return
        [
            .. children.Values.OrderByDescending(child => WidthOf(child.Counts)).ThenBy(child => child.Frame.Name, StringComparer.Ordinal)
                .ThenBy(child => child.Frame.Module, StringComparer.Ordinal),
        ];
    }

    /// <summary>A function on one call path in one or both profiles.</summary>
    private readonly record struct Pair(CpuProfileNode? Before, CpuProfileNode? After)
    {
        public CpuProfileFrame Frame => (Before ?? After)!.Frame;

        public SampleCounts Counts => new(Before?.Value ?? 0, After?.Value ?? 0);
    }
}
