namespace Picollo.Profiling;

/// <summary>The samples of one function on all paths of a <see cref="CpuProfile"/>.</summary>
/// <param name="Frame">The function.</param>
/// <param name="OwnSampleCount">The number of samples in the function itself.</param>
/// <param name="SampleCount">The number of samples in the function and its callees. A sample in a recursion counts once.</param>
public sealed record CpuProfileMethod(CpuProfileFrame Frame, long OwnSampleCount, long SampleCount);

/// <content>The table of functions.</content>
public sealed partial class CpuProfile
{
    /// <summary>Returns all functions, ordered by descending number of own samples. Computed on each call, in time proportional to the
    /// number of nodes.</summary>
    /// <returns>The functions.</returns>
    public IReadOnlyList<CpuProfileMethod> GetMethods()
    {
        var counts = new Dictionary<CpuProfileFrame, (long Own, long Total)>();
        var path = new List<CpuProfileFrame>();
        var onPath = new Dictionary<CpuProfileFrame, int>();
        foreach ((CpuProfileNode node, int depth) in GetNodes())
        {
            for (; path.Count > depth; path.RemoveAt(path.Count - 1))
            {
                onPath[path[^1]]--;
            }

            int outer = onPath.GetValueOrDefault(node.Frame);
            (long own, long total) = counts.GetValueOrDefault(node.Frame);
            counts[node.Frame] = (own + node.OwnSampleCount, outer == 0 ? total + node.SampleCount : total);
            onPath[node.Frame] = outer + 1;
            path.Add(node.Frame);
        }

        return
        [
            .. counts.Select(pair => new CpuProfileMethod(pair.Key, pair.Value.Own, pair.Value.Total))
                .Where(method => method.Frame.Kind != CpuProfileFrameKind.Group)
                .OrderByDescending(method => method.OwnSampleCount)
                .ThenByDescending(method => method.SampleCount)
                .ThenBy(method => method.Frame.Name, StringComparer.Ordinal),
        ];
    }
}
