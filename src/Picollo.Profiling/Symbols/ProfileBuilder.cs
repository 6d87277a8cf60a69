using System.Runtime.InteropServices;
using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Symbols;

/// <summary>Makes the tree of named calls from the addresses that were sampled.</summary>
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
            // Several processes are told apart by a frame of their own, and so are the programs that one has executed.
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
                $"{samples.SkippedProcessCount:N0} of the command's processes are missing: there were too many."));
        }

        return root;
    }

    /// <summary>Makes the tree of some of the samples of the process.</summary>
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
            for (SampleTree.Node? at = node; at is { } here; at = here.Parent >= 0 ? nodes[here.Parent] : null)
            {
                NamedCode named = here.Address == SampleTree.Truncated ? new(Truncated, "", false) : code.At(here.Address);

                // A library without symbols is one frame, however deep its calls are, and so is a call that goes on in better code.
                if (path.Count == 0 || !((IsWholeModule(named.Frame) && path[^1] == named.Frame) || inner.IsContinuationOf(named)))
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

    /// <summary>The compiled methods of a process. A running process was asked for those of the program that it ran then; in the folder of
    /// a command are those of its last program.</summary>
    private PerfMap? MapOf(SampledProcess process)
    {
        PerfMap? map = settings.PerfMapFolder is not { } folder ? process == samples.Main ? perfMap?.Read() : null
            : process.IsReplaced ? null
            : PerfMapFile.ReadFrom(folder, process.Id);
        if ((map is null && (process != samples.Main || settings.IsCommand) && process.Mappings.Any(mapping => mapping.IsOfRuntime))
            || map is { IsComplete: false })
        {
            string missing = map is null ? "it has none" : "it is incomplete: the disk may be full";
            _notes.Add(string.Create(
                CultureInfo.InvariantCulture,
                $"Compiled methods of {process.Name} (process {process.Id}) have no names, because they are in its perf map, and "
                + $"{missing}."));
        }

        return map;
    }

    private static bool IsWholeModule(CpuProfileFrame frame) => frame.Name == frame.Module;
}
