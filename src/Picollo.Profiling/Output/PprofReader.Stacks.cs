namespace Picollo.Profiling;

/// <content>The stacks and their values.</content>
internal sealed partial class PprofReader
{
    /// <summary>Reads the samples. Equal stacks are first merged by the numbers of their frames, because names are long.</summary>
    /// <remarks>If <paramref name="counts"/> is -1, no sample type counts the samples.</remarks>
    private Stacks ReadStacks(int type, long scale, int counts)
    {
        Stacks stacks = new(counts >= 0);
        Dictionary<CpuProfileFrame, int> numbers = [];
        Dictionary<ulong, (int[] Frames, Pruning Pruning)> framesOf = [];
        HashSet<ulong> keys = [];
        List<ulong> locations = [], values = [];
        List<int> stack = [];
        foreach (Range sample in _samples)
        {
            ulong key = ReadSample(_bytes.AsSpan(sample), locations, values, out bool hasTimestamp);
            if (values.Count != _sampleTypes.Count)
            {
                throw Damage($"a sample has {values.Count} values for {_sampleTypes.Count} types");
            }

            long value = Scaled(values[type], scale);
            if (value == 0)
            {
                continue;
            }

            stack.Clear();
            int pruned = FindPruned(locations);
            for (int i = pruned; i < locations.Count; i++)
            {
                int[] ofLocation = FramesAt(locations[i]).Frames;
                stack.AddRange(ofLocation);
                Spend(WorkOfFrame * (1 + ofLocation.Length));
                if (stack.Count > MaxFrames)
                {
                    throw TooLarge($"a stack has more than {MaxFrames:N0} frames");
                }
            }

            stacks.Add(stack, value, counts < 0 ? 1 : Math.Max((long)values[counts], 1));
            stacks.IsOfSingleSamples = stacks.IsOfSingleSamples || (counts < 0 && (hasTimestamp || !keys.Add(key)));
        }

        return stacks;

        (int[] Frames, Pruning Pruning) FramesAt(ulong location)
        {
            if (!framesOf.TryGetValue(location, out (int[] Frames, Pruning Pruning) found))
            {
                CpuProfileFrame[] frames = [.. FramesOf(location, out Pruning pruning)];
                framesOf[location] = found = ([.. frames.Select(NumberOf)], pruning);
            }

            return found;
        }

        // The frames before the first one that is not dropped are kept, as go tool pprof does, so that a stack is not empty.
        int FindPruned(List<ulong> stackOfLocations)
        {
            if (_drop is null)
            {
                return 0;
            }

            bool isKept = false;
            for (int i = stackOfLocations.Count - 1; i >= 0; i--)
            {
                Pruning pruning = FramesAt(stackOfLocations[i]).Pruning;
                if (isKept && pruning != Pruning.None)
                {
                    return pruning == Pruning.Location ? i + 1 : i;
                }

                isKept |= pruning == Pruning.None;
            }

            return 0;
        }

        int NumberOf(CpuProfileFrame frame)
        {
            if (!numbers.TryGetValue(frame, out int number))
            {
                numbers.Add(frame, number = stacks.Frames.Count);
                stacks.Frames.Add(frame);
            }

            return number;
        }
    }

    private static long Scaled(ulong value, long scale) =>
        (long)value < 0 ? throw Damage($"a sample has a negative value, as in a difference of profiles")
        : (long)value <= long.MaxValue / scale ? (long)value * scale
        : throw TooMuch();

    private CpuProfileNode Name(Stacks stacks)
    {
        var root = new CpuProfileNode(All);
        var path = new Stack<CpuProfileFrame>();
        foreach (Stacks.Node leaf in stacks.Nodes.Where(node => node.Own > 0))
        {
            path.Clear();
            for (Stacks.Node node = leaf; node.Parent >= 0; node = stacks.Nodes[node.Parent])
            {
                CpuProfileFrame frame = stacks.Frames[node.Frame];
                path.Push(frame);
                Spend(WorkOfFrame + frame.Name.Length + frame.Module.Length);
            }

            // WritePprof writes samples without a function as a stack of the root.
            root.Add(path.Count == 1 && path.Peek() == All ? [] : [.. path], leaf.Own);
        }

        return root;
    }

    private static InvalidDataException TooMuch() => TooLarge($"the sum of its values is more than {long.MaxValue}");

    /// <summary>The sums of the values of each stack, as a tree.</summary>
    private sealed class Stacks(bool hasCounts)
    {
        private readonly Dictionary<(int Parent, int Frame), int> _nodeOf = [];
        private double _squares;
        private long _count;

        public List<CpuProfileFrame> Frames { get; } = [];

        public List<Node> Nodes { get; } = [new(-1, -1, 0, 0)];

        public long Total { get; private set; }

        /// <summary>Whether each entry of the file is a sample, because two have the same stack, or because they have timestamps.</summary>
        public bool IsOfSingleSamples { get; set; }

        /// <summary>The size of the statistical sample; null if the file does not contain it.</summary>
        public SampleSize? Size =>
            Total == 0 ? default(SampleSize)
            : hasCounts || IsOfSingleSamples ? new(_count, Math.Clamp((long)((double)Total * Total / _squares), 1, _count))
            : null;

        /// <summary>Adds a value that is from a number of samples. The innermost frame is first.</summary>
        public void Add(List<int> stack, long value, long count)
        {
            Total = value <= long.MaxValue - Total ? Total + value : throw TooMuch();
            _count = count <= long.MaxValue - _count ? _count + count : throw TooMuch();
            _squares += (double)value * value / count;
            int node = 0;
            for (int i = stack.Count - 1; i >= 0; i--)
            {
                if (!_nodeOf.TryGetValue((node, stack[i]), out int child))
                {
                    child = Nodes.Count;
                    _nodeOf.Add((node, stack[i]), child);
                    PprofReader.Add(Nodes, new(node, stack[i], 0, 0));
                }

                node = child;
            }

            Nodes[node] = Nodes[node] with { Own = Nodes[node].Own + value, Count = Nodes[node].Count + count };
        }

        /// <summary>Returns the number of periods of each node; null if they are not whole numbers, or not the numbers in the
        /// file.</summary>
        public long[]? CountPeriods(double period, double tolerance)
        {
            long[] periods = new long[Nodes.Count];
            for (int i = 0; i < periods.Length; i++)
            {
                (_, _, long own, long count) = Nodes[i];
                periods[i] = hasCounts ? count : (long)Math.Round(own / period);
                if (Math.Abs(own - (periods[i] * period)) > own * tolerance)
                {
                    return null;
                }
            }

            return periods;
        }

        public void Scale(double factor) =>
            Replace([.. Nodes.Select(node => node.Own * factor < long.MaxValue / 2 ? (long)(node.Own * factor) : throw TooMuch())]);

        public void Replace(long[] values)
        {
            for (int i = 0; i < values.Length; i++)
            {
                Nodes[i] = Nodes[i] with { Own = values[i] };
            }
        }

        /// <summary>A frame with the value of the stacks that end in it.</summary>
        public readonly record struct Node(int Parent, int Frame, long Own, long Count);
    }
}
