using Picollo.Cpu;
using Picollo.Export;
using Picollo.Export.Text;

namespace Picollo.Profiling;

/// <summary>The data of a <see cref="CpuProfile"/>, for the formats and for the profiler.</summary>
internal sealed class ProfileData
{
    public const string CpuType = "cpu";

    /// <summary>The units in <see cref="SampleUnit"/> that have a meaning here. All others are texts of other tools.</summary>
    public const string SamplesUnit = "samples";

    public const string TimeUnit = "nanoseconds";

    /// <summary>The unit of a number that is not a quantity, in pprof files.</summary>
    public const string CountUnit = "count";

    public const double NanosecondsPerSecond = 1e9;

    private static readonly TimeSpan MaxTime = TimeSpan.FromDays(10_000_000);

    public ProfileData(CpuProfileNode root)
    {
        Root = root;
        UnnamedValue = GetNodes()
            .Where(visited => visited.Node.Frame.Kind == CpuProfileFrameKind.Unnamed)
            .Sum(visited => visited.Node.OwnValue);
    }

    public string Title { get; init => field = CleanText.From(value); } = "";

    public DateTimeOffset? StartTime { get; init; }

    public TimeSpan Duration { get; init; }

    public string SampleType { get; init => field = CleanText.From(value); } = CpuType;

    public string SampleUnit { get; init => field = CleanText.From(value); } = SamplesUnit;

    /// <summary>The number of samples per second; 0 if it is unknown.</summary>
    public int Frequency { get; init; }

    public string EventName { get; init; } = "cpu-clock";

    public bool IncludesKernel { get; init; }

    public CpuUsage? CpuUsage { get; init; }

    public long Value => Root.Value;

    public long LostSampleCount { get; init; }

    public long UnnamedValue { get; }

    public IReadOnlyList<string> Notes { get; init => field = [.. value.Select(CleanText.From)]; } = [];

    public CpuProfileNode Root { get; }

    /// <summary>The size of the sample that the profile is; null if it is unknown.</summary>
    public SampleSize? Size
    {
        get => SampleUnit == SamplesUnit ? new(Value, Value) : field;
        init;
    }

    /// <summary>The numbers of samples per second; 0 if they do not represent a time.</summary>
    public double UnitsPerSecond => SampleUnit switch { SamplesUnit => Frequency, TimeUnit => NanosecondsPerSecond, _ => 0 };

    /// <summary>Returns the time that a number of samples represents, in nanoseconds; 0 if it is unknown. A <see cref="TimeSpan"/> would
    /// round it to 100 ns.</summary>
    public double NanosecondsOf(long samples) => UnitsPerSecond > 0 ? samples / UnitsPerSecond * NanosecondsPerSecond : 0;

    /// <summary>Returns the time that a number of samples represents; 0 if it is unknown.</summary>
    public TimeSpan TimeOf(long samples) => UnitsPerSecond > 0
        ? TimeSpan.FromSeconds(Math.Min(samples / UnitsPerSecond, MaxTime.TotalSeconds))
        : TimeSpan.Zero;

    /// <summary>Returns all functions, ordered by descending own value.</summary>
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
            counts[node.Frame] = (own + node.OwnValue, outer == 0 ? total + node.Value : total);
            onPath[node.Frame] = outer + 1;
            path.Add(node.Frame);
        }

        return
        [
            .. counts.Select(pair => new CpuProfileMethod(pair.Key, pair.Value.Own, pair.Value.Total))
                .Where(method => method.Frame.Kind != CpuProfileFrameKind.Group)
                .OrderByDescending(method => method.OwnValue)
                .ThenByDescending(method => method.Value)
                .ThenBy(method => method.Frame.Name, StringComparer.Ordinal),
        ];
    }

    /// <summary>Returns all nodes, each before its children, with its depth, which is the number of its callers. The depth of the root is
    /// 0.</summary>
    public IEnumerable<(CpuProfileNode Node, int Depth)> GetNodes() => GetNodes(Root);

    public static IEnumerable<(CpuProfileNode Node, int Depth)> GetNodes(CpuProfileNode root)
    {
        // Uses a stack instead of recursion, because profiles may be deeper than the thread's own stack permits.
        var pending = new Stack<(CpuProfileNode Node, int Depth)>([(root, 0)]);
        while (pending.TryPop(out (CpuProfileNode Node, int Depth) next))
        {
            yield return next;
            foreach (CpuProfileNode child in next.Node.Children.Reverse())
            {
                pending.Push((child, next.Depth + 1));
            }
        }
    }

    /// <summary>Returns the distinct stacks that have own samples, the outermost caller first. A list is valid only until the next stack.
    /// The stack of samples without a function is the root.</summary>
    public IEnumerable<(IReadOnlyList<CpuProfileFrame> Stack, long Count)> GetStacks()
    {
        var path = new List<CpuProfileFrame>();
        foreach ((CpuProfileNode node, int depth) in GetNodes())
        {
            path.RemoveRange(Math.Max(depth - 1, 0), path.Count - Math.Max(depth - 1, 0));
            path.Add(node.Frame);
            if (node.OwnValue > 0)
            {
                yield return (path, node.OwnValue);
            }
        }
    }
}
