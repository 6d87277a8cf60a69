using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling.Symbols;

/// <summary>Builds the tree of named calls from the sampled addresses.</summary>
internal sealed class ProfileBuilder(ProfilerSettings settings, ProcessFiles files, PerfMapFile? perfMap, SampleCollector samples)
{
    private static readonly CpuProfileFrame All = new("all", "", CpuProfileFrameKind.Group);
    private static readonly CpuProfileFrame Truncated = new("[deeper callers]", "", CpuProfileFrameKind.Group);

    private readonly List<string> _notes = [];
    private readonly CodeImages _images = new(files);
    private readonly Dictionary<SampledProcess, CodeMap> _codes = [];
    private KernelSymbols? _kernel;

    public string Title { get; } = settings.Command
        ?? string.Create(CultureInfo.InvariantCulture, $"{samples.Main.Name} (process {samples.Main.Id})");

    public IReadOnlyList<string> Notes => _notes;

    public CpuProfileNode Build()
    {
        if (settings.Options.IncludeKernel)
        {
            _kernel = KernelSymbols.TryRead(out string? reason);
            _notes.AddRange(reason is null ? [] : [$"Functions of the kernel have no names: {reason}."]);
        }

        var root = new CpuProfileNode(All);
        SampledProcess[] sampled = [.. samples.Processes.Where(process => process.Samples.SampleCount > 0)];
        foreach (SampledProcess process in sampled)
        {
            // If there are several processes or executed programs, each gets a separate frame.
            string executed = sampled.TakeWhile(other => other != process).Any(other => other.Id == process.Id) ? ", after execve" : "";
            CpuProfileFrame? group = sampled.Length == 1 ? null : new CpuProfileFrame(
                string.Create(CultureInfo.InvariantCulture, $"{process.Name} (process {process.Id}{executed})"),
                "",
                CpuProfileFrameKind.Group);
            Add(root, group, CodeOf(process), process.Samples);
        }

        _notes.AddRange(_images.Notes);
        if (samples.SkippedProcessCount > 0)
        {
            _notes.Add(string.Create(
                CultureInfo.InvariantCulture,
                $"{samples.SkippedProcessCount:N0} of the command's processes are missing, because there were too many."));
        }

        return root;
    }

    /// <summary>Builds the tree of some of the samples of the process.</summary>
    public CpuProfileNode Build(SampleTree some)
    {
        var root = new CpuProfileNode(All);
        Add(root, null, CodeOf(samples.Main), some);
        return root;
    }

    private CodeMap CodeOf(SampledProcess process) => _codes.TryGetValue(process, out CodeMap? code) ? code : _codes[process] = new CodeMap(
        process.Mappings, MapOf(process), _images, settings.Options.IncludeKernel, _kernel, settings.Options.ShowTiers);

    private static void Add(CpuProfileNode root, CpuProfileFrame? group, CodeMap code, SampleTree samples)
    {
        IReadOnlyList<SampleTree.Node> nodes = samples.Nodes;
        var path = new List<CpuProfileFrame>();
        foreach (SampleTree.Node node in nodes.Where(node => node.OwnSampleCount > 0))
        {
            path.Clear();
            NamedCode inner = default;
            for (SampleTree.Node? next = node; next is { } current; next = current.Parent >= 0 ? nodes[current.Parent] : null)
            {
                NamedCode named = current.Address == SampleTree.Truncated ? new(Truncated, "", false) : code.At(current.Address);

                // A library without symbols is one frame, regardless of the call depth, and so is a call that continues in better optimized
                // code.
                if (path.Count == 0 || !((IsStrippedModule(named.Frame) && path[^1] == named.Frame) || inner.IsContinuationOf(named)))
                {
                    path.Add(named.Frame);
                }

                inner = named;
            }

            path.AddRange(group is null ? [] : [group]);
            path.Reverse();
            root.Add(CollectionsMarshal.AsSpan(path), node.OwnSampleCount);
        }
    }

    /// <summary>Returns the compiled methods of a process. For a running .NET process, they are those of the program at the start of
    /// profiling; for a command, the folder contains those of its last program. Other programs write a map to <c>/tmp</c> if they were
    /// started with such an option.</summary>
    private PerfMap? MapOf(SampledProcess process)
    {
        PerfMap? map = settings.PerfMapFolder is not { } folder ? process == samples.Main ? perfMap?.Read(_images.Budget) : null
            : process.IsReplaced ? null
            : PerfMapFile.ReadFrom(folder, process.Id, _images.Budget);
        if (map is null && !process.IsReplaced && (settings.IsCommand || process == samples.Main))
        {
            using PerfMapFile? written = PerfMapFile.TryOpenWritten(process == samples.Main ? files : new ProcessFiles(process.Id));
            map = written?.Read(_images.Budget);
        }

        if ((map is null && (process != samples.Main || settings.IsCommand) && process.Mappings.Any(mapping => mapping.BelongsToRuntime))
            || map is { IsDotnet: true, IsComplete: false })
        {
            string missing = map is null ? "there is none" : "it is incomplete (the disk may be full) or too large";
            _notes.Add(string.Create(
                CultureInfo.InvariantCulture,
                $"Compiled methods of {process.Name} (process {process.Id}) have no names, because their names are in its perf map, and "
                + $"{missing}."));
        }

        return map;
    }

    private static bool IsStrippedModule(CpuProfileFrame frame) => frame.Name == frame.Module;
}
