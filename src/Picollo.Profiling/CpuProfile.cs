using Picollo.Cpu;
using Picollo.Profiling.Output;

namespace Picollo.Profiling;

/// <summary>A CPU profile of a process: a call tree with the number of samples of each node.</summary>
/// <remarks>
/// <para>A sample is taken each time a thread has used another <c>1 / Frequency</c> seconds of CPU time. A thread that waits has no
/// samples. The standard error of a share is at most 1.6 percentage points for 1,000 samples and 0.5 points for 10,000 samples (binomial
/// distribution).</para>
/// <para>A profile that <see cref="ReadPprof"/> read may show something else, such as allocated bytes: <see cref="SampleType"/> and
/// <see cref="SampleUnit"/> state what its numbers are.</para>
/// <para>Immutable and thread-safe.</para>
/// </remarks>
public sealed class CpuProfile
{
    private const int DefaultLimit = 25;

    /// <summary>The <see cref="Route"/> of samples outside requests and named work: <c>(no request)</c>.</summary>
    public const string NoRequest = FlowLabel.NoRequest;

    internal CpuProfile(ProfileData data, FlowProfiles? flows = null, FlowLabel? label = null) =>
        (Data, Flows, Label) = (data, flows, label);

    /// <summary>The profiled program, such as its name and process ID.</summary>
    public string Title => Data.Title;

    /// <summary>The HTTP method of a part that <see cref="SplitByRoute"/> returned for a route; <see langword="null"/> for other
    /// profiles.</summary>
    public string? HttpMethod => Label?.Method is { Length: > 0 } method ? method : null;

    /// <summary>The route of a part that <see cref="SplitByRoute"/> returned: its pattern as on the page of <c>Picollo.AspNetCore</c>, such
    /// as <c>/users/{id}</c>; the name of named work; <c>(Picollo page)</c>; or <see cref="NoRequest"/>. <see langword="null"/> for other
    /// profiles.</summary>
    public string? Route => Label?.Name;

    /// <summary>The start of sampling, with the offset of UTC; <see langword="null"/> if it is unknown.</summary>
    public DateTimeOffset? StartTime => Data.StartTime;

    /// <summary>The duration of sampling; <see langword="null"/> if it is unknown.</summary>
    public TimeSpan? Duration => Data.Duration > TimeSpan.Zero ? Data.Duration : null;

    /// <summary>What the profile shows: <c>cpu</c> is CPU time. A profile of another tool has the name of its sample type, such as
    /// <c>wall</c> or <c>inuse_space</c>.</summary>
    public string SampleType => Data.SampleType;

    /// <summary>The unit of all values of this profile, such as <see cref="Value"/> and
    /// <see cref="CpuProfileMethod.OwnValue"/>: <c>samples</c>. In a profile of another tool, it can also be <c>nanoseconds</c>, or
    /// a unit that is not a time, such as <c>bytes</c> or <c>count</c>.</summary>
    public string SampleUnit => Data.SampleUnit;

    /// <summary>The number of samples per second of CPU time, as requested; <see langword="null"/> if it is unknown, or if
    /// <see cref="SampleUnit"/> is not <c>samples</c>.</summary>
    public int? Frequency => Data.Frequency > 0 ? Data.Frequency : null;

    /// <summary>The perf event that triggers the samples: <c>cycles</c>, or <c>cpu-clock</c> without a PMU. Empty in a profile of another
    /// tool.</summary>
    public string EventName => Data.EventName;

    /// <summary>Whether kernel code was sampled.</summary>
    public bool IncludesKernel => Data.IncludesKernel;

    /// <summary>The CPU time that the process used during sampling, according to the kernel. For a process that has exited, the value is
    /// from up to 0.25 s before its exit. <see langword="null"/> if it is unknown, as for a part of a profile (<see cref="FilterBy"/>,
    /// <see cref="SplitByRoute"/>), and for a file with a CPU time of 0.</summary>
    public CpuUsage? CpuUsage => Data.CpuUsage;

    /// <summary>The total in <see cref="SampleUnit"/>, which is the value of <see cref="Root"/>.</summary>
    public long Value => Data.Value;

    /// <summary>The number of samples; <see langword="null"/> if it is unknown, as it can be in a profile of another tool that has times or
    /// bytes.</summary>
    public long? SampleCount => Data.Size?.Count;

    /// <summary>The number of samples that were lost because they were not read in time, or because memory for distinct stacks ran
    /// out.</summary>
    public long LostSampleCount => Data.LostSampleCount;

    /// <summary>The part of <see cref="Value"/> that belongs to innermost functions without a name.</summary>
    public long UnnamedValue => Data.UnnamedValue;

    /// <summary>The limitations of this profile, such as names that could not be read, with the reasons; empty if there are none.</summary>
    public IReadOnlyList<string> Notes => Data.Notes;

    /// <summary>The call tree. Its root is not a function, and represents all samples.</summary>
    public CpuProfileNode Root => Data.Root;

    internal ProfileData Data { get; }

    /// <summary>The samples by flow; null if they are unknown.</summary>
    internal FlowProfiles? Flows { get; }

    /// <summary>The route or the named work of this part; null for other profiles.</summary>
    internal FlowLabel? Label { get; }

    /// <summary>Returns all functions, ordered by descending own value. Computed on each call, in time proportional to the
    /// number of nodes.</summary>
    /// <returns>The functions.</returns>
    public IReadOnlyList<CpuProfileMethod> GetMethods() => Data.GetMethods();

    /// <summary>Returns the part of the profile whose CPU time a watcher counted: the samples of its flow, on all threads, until
    /// <see cref="CpuUsageAsyncWatcher.Stop"/>.</summary>
    /// <param name="watcher">A watcher that ran while the profile was taken.</param>
    /// <returns>The samples; none if the watcher ran at another time, or used less CPU time than the sampling period.</returns>
    /// <remarks>A sample belongs to each watcher that ran in its flow. Thread-safe.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="watcher"/> is <see langword="null"/>.</exception>
    /// <exception cref="InvalidOperationException">The profile belongs to another process, was read from a file, or is part of another
    /// profile.</exception>
    public CpuProfile FilterBy(CpuUsageAsyncWatcher watcher)
    {
        ArgumentNullException.ThrowIfNull(watcher);
        return Part("a flow", KnownFlows.Watchers.GetValueOrDefault(watcher) ?? new CpuProfileNode(Root.Frame));
    }

    /// <summary>Returns the parts of the profile by the route of the request, or by the name of the work, as <c>Picollo.AspNetCore</c>
    /// measures them. Samples outside all of them are in the part <see cref="NoRequest"/>.</summary>
    /// <returns>The parts that have samples, ordered by descending number of samples. Together they have all samples of the
    /// profile.</returns>
    /// <remarks>
    /// <para>The part of a route includes CPU time after the response, and everything that the request starts, on any thread.</para>
    /// <example>
    /// <code>
    /// foreach (CpuProfile part in profile.SplitByRoute())
    /// {
    ///     Console.WriteLine($"{part.HttpMethod} {part.Route}: {part.SampleCount} samples");
    /// }
    /// </code>
    /// </example>
    /// <para>Thread-safe.</para>
    /// </remarks>
    /// <exception cref="InvalidOperationException">The profile belongs to another process, was read from a file, or is part of another
    /// profile.</exception>
    public IReadOnlyList<CpuProfile> SplitByRoute() =>
    [
        .. KnownFlows.Labels
            .Append(new(FlowLabel.None, KnownFlows.Unlabeled))
            .Where(pair => pair.Value.Value > 0)
            .Select(pair => Part($"{pair.Key}", pair.Value, pair.Key))
            .OrderByDescending(part => part.Value)
            .ThenBy(part => part.Route, StringComparer.Ordinal)
            .ThenBy(part => part.HttpMethod, StringComparer.Ordinal),
    ];

    /// <summary>Returns the number of nodes in its tree and in those of its parts.</summary>
    internal int CountNodes()
    {
        IEnumerable<CpuProfileNode> parts = Flows is null ? [] : [.. Flows.Watchers.Values, .. Flows.Labels.Values, Flows.Unlabeled];
        return parts.Append(Root).Sum(root => ProfileData.GetNodes(root).Count());
    }

    private FlowProfiles KnownFlows =>
        Flows ?? throw new InvalidOperationException(
            "This profile belongs to another process, was read from a file, or is part of another profile, so its flows are unknown.");

    private CpuProfile Part(string name, CpuProfileNode root, FlowLabel? label = null)
    {
        var data = new ProfileData(root)
        {
            Title = $"{name} in {Title}",
            StartTime = StartTime,
            Duration = Data.Duration,
            Frequency = Data.Frequency,
            EventName = EventName,
            IncludesKernel = IncludesKernel,
            Notes = Notes,
        };
        return new(data, label: label);
    }

    /// <summary>Writes the title, a summary, a table of the functions with the most own samples, and the notes.</summary>
    /// <param name="output">The destination. It is not flushed.</param>
    /// <param name="limit">The maximum number of functions, at least 1.</param>
    /// <remarks>"Own" is the function itself, "total" includes its callees. Times are those that the samples represent (<c>1 /
    /// <see cref="Frequency"/></c> seconds each); the CPU time of the summary is that of the kernel. If the profile does not show a time,
    /// the table has the numbers in <see cref="SampleUnit"/> instead. The text does not depend on the culture, and is safe for a
    /// terminal.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="limit"/> is less than 1.</exception>
    public void WriteTable(TextWriter output, int limit = DefaultLimit)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        TextFormats.WriteTable(Data, output, limit);
    }

    /// <summary>Returns the text of <see cref="WriteTable"/> with 25 functions.</summary>
    /// <returns>Several lines, each of which ends with a line break.</returns>
    public override string ToString()
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        WriteTable(text);
        return text.ToString();
    }

    /// <summary>Writes folded stacks, the input of flamegraph.pl, speedscope and inferno: a line per distinct stack with its own samples,
    /// such as <c>Main;Parse;Read 12</c>, the outermost caller first.</summary>
    /// <param name="output">The destination. It is not flushed.</param>
    /// <remarks>The lines are sorted by stack in ordinal order and end with LF. A semicolon in a name is written as a colon. Frames with
    /// the same name are one frame here, even if their modules differ.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteFolded(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        TextFormats.WriteFolded(Data, output);
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
        PprofWriter.Write(Data, output);
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
        return new(PprofReader.Read(input, sampleType));
    }

    /// <summary>Writes the profile as a JSON object on one line (docs/schemas/picollo-profile.schema.json).</summary>
    /// <param name="output">The destination. It is not flushed.</param>
    /// <remarks>The tree is the flat array <c>nodes</c>, in which a node follows its parent. The names are stable: later versions may add
    /// names, but do not change any. The text is not escaped for HTML.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteJson(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        ProfileJson.Write(Data, output);
    }

    /// <summary>Writes a flame graph as an SVG file: a box for each function on each call path, with a width proportional to its samples,
    /// above the boxes of its callees.</summary>
    /// <param name="output">The writer, whose text is to be stored as UTF-8. Lines end in LF.</param>
    /// <remarks>
    /// <code>
    /// using StreamWriter file = File.CreateText("profile.svg");
    /// profile.WriteSvg(file);
    /// </code>
    /// <para>Blue marks managed code, green marks native code, vermilion marks the kernel, and purple marks code without a name. Boxes
    /// narrower than 0.1 % of the image are omitted. The tooltip of a box has the whole name and the numbers. The file has no script and no
    /// external resources, and follows the light or dark mode of the system.</para>
    /// <para>Thread-safe. Deterministic: a profile always produces the same text, in any culture.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteSvg(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        output.Write(FlameGraph.Draw(Data));
    }

    /// <summary>Writes an HTML page: a flame graph with zoom and search, and tables of functions, callees and callers.</summary>
    /// <param name="output">The writer, whose text is to be stored as UTF-8. Lines end in LF.</param>
    /// <remarks>
    /// <code>
    /// using StreamWriter page = File.CreateText("profile.html");
    /// profile.WriteHtml(page);
    /// </code>
    /// <para>The page is a single file without external resources, which can be opened from a disk. Its content security policy permits
    /// only its own style and script. It follows the light or dark mode of the system.</para>
    /// <para>If a profile has more than 20,000 nodes, the smallest ones are merged into <c>(other)</c>, each below its caller, and a note
    /// on the page describes the limit. Names of more than 1,000 characters are shortened. The size of a page is about 35 KB plus 8 bytes
    /// per node and the names.</para>
    /// <para>Thread-safe. Deterministic: a profile always produces the same page, in any culture.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    public void WriteHtml(TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        ProfilePage.Write(output, Data);
    }
}
