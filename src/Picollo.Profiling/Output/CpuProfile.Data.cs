namespace Picollo.Profiling;

/// <content>The profile as data for other programs.</content>
public sealed partial class CpuProfile
{
    /// <summary>Writes folded stacks, the input of flamegraph.pl, speedscope and inferno: a line per distinct stack with its own samples,
    /// such as <c>Main;Parse;Read 12</c>, the outermost caller first.</summary>
    /// <param name="output">The destination. It is not flushed.</param>
    /// <remarks>The lines are sorted by stack in ordinal order and end with LF. A semicolon in a name is written as a colon. Frames with
    /// the same name are one frame here, even if their modules differ.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteFolded(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        var counts = new SortedDictionary<string, long>(StringComparer.Ordinal);
        foreach ((IReadOnlyList<CpuProfileFrame> stack, long count) in GetStacks())
        {
            string folded = string.Join(';', stack.Select(frame => frame.Name.Replace(';', ':')));
            counts[folded] = counts.GetValueOrDefault(folded) + count;
        }

        foreach ((string folded, long count) in counts)
        {
            output.Write(string.Create(CultureInfo.InvariantCulture, $"{folded} {count}\n"));
        }
    }

    /// <summary>Writes the profile in the format of pprof: a gzip-compressed message <c>perftools.profiles.Profile</c> of
    /// https://github.com/google/pprof/blob/main/proto/profile.proto. <c>go tool pprof</c>, Grafana Pyroscope, Parca and speedscope
    /// read it.</summary>
    /// <param name="output">The destination, which remains open.</param>
    /// <remarks>The sample types are <c>samples/count</c> and <c>cpu/nanoseconds</c>. A profile of another tool that does not have samples
    /// has one type: <see cref="SampleType"/> in <see cref="SampleUnit"/>. A location is a function: there are no line numbers,
    /// and addresses only distinguish functions.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WritePprof(Stream output)
    {
        ArgumentNullException.ThrowIfNull(output);
        PprofWriter.Write(this, output);
    }

    /// <summary>Reads a pprof profile from <see cref="WritePprof"/> or another tool, such as Go's <c>runtime/pprof</c>.</summary>
    /// <param name="input">The message <c>perftools.profiles.Profile</c>, with or without gzip. The stream is read to its end, and remains
    /// open.</param>
    /// <param name="sampleType">The name of the sample type to read, such as <c>cpu</c> or <c>alloc_space</c>. By default, it is the type
    /// that <c>go tool pprof</c> shows: the default type of the file, or otherwise its last type.</param>
    /// <returns>The profile. Reading the output of <see cref="WritePprof"/> returns an equal profile.</returns>
    /// <remarks>
    /// <para><see cref="SampleType"/> is the type that was read. If it is a time, and each sample represents the same time, the profile has
    /// samples. Otherwise, it has the sums of the values in <see cref="SampleUnit"/>, where all units of time are converted to
    /// nanoseconds. An inlined function is a separate frame, line numbers are not read, and the name of unnamed code is its module
    /// and its address. Frames of the first mapping, which is the program, have no module. Functions that the file's patterns
    /// <c>drop_frames</c> and <c>keep_frames</c> hide are not read.</para>
    /// <para>The source may be untrusted. The limits are 256 MiB, 1,000,000 entries of each kind, such as functions, samples and nodes of
    /// the tree, and stacks of 65,536 frames.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="input"/> is <see langword="null"/>.</exception>
    /// <exception cref="InvalidDataException">The input is not a pprof profile, is damaged, is too large, or does not have the sample type.
    /// The message contains the reason.</exception>
    public static CpuProfile ReadPprof(Stream input, string? sampleType = null)
    {
        ArgumentNullException.ThrowIfNull(input);
        return PprofReader.Read(input, sampleType);
    }

    /// <summary>Writes the profile as a JSON object on one line (docs/schemas/picollo-profile.schema.json).</summary>
    /// <param name="output">The destination. It is not flushed.</param>
    /// <remarks>The tree is the flat array <c>nodes</c>, in which a node follows its parent. The names are stable: later versions may add
    /// names, but do not change any. The text is not escaped for HTML.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteJson(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        ProfileJson.Write(this, output);
    }

    /// <summary>Returns all nodes, each before its children, with its depth, which is the number of its callers. The depth of the root is
    /// 0.</summary>
    internal IEnumerable<(CpuProfileNode Node, int Depth)> GetNodes() => GetNodes(Root);

    private static IEnumerable<(CpuProfileNode Node, int Depth)> GetNodes(CpuProfileNode root)
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
    internal IEnumerable<(IReadOnlyList<CpuProfileFrame> Stack, long Count)> GetStacks()
    {
        var path = new List<CpuProfileFrame>();
        foreach ((CpuProfileNode node, int depth) in GetNodes())
        {
            path.RemoveRange(Math.Max(depth - 1, 0), path.Count - Math.Max(depth - 1, 0));
            path.Add(node.Frame);
            if (node.OwnSampleCount > 0)
            {
                yield return (path, node.OwnSampleCount);
            }
        }
    }
}
