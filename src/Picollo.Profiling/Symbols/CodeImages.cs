using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols.Files;
using Picollo.Profiling.Symbols.ReadyToRun;

namespace Picollo.Profiling.Symbols;

/// <summary>Finds the names of code in files: assemblies with ReadyToRun code and native libraries. Reads each file once.</summary>
internal sealed class CodeImages(ProcessFiles process, ReadBudget? budget = null)
{
    private const int MaxNotes = 5;
    private const int MaxHeaderPages = 4;
    private const string Vdso = "[vdso]";

    /// <summary>Code that the runtime or its compiler generates between methods.</summary>
    public static readonly CpuProfileFrame Stub = new("[runtime stub]", "", CpuProfileFrameKind.Native);

    /// <summary>The libraries of the runtime, which are published without symbols: each of them is one frame.</summary>
    private static readonly HashSet<string> StrippedModules =
        ["libcoreclr.so", "libclrjit.so", "libclrgc.so", "libclrgcexp.so", "libhostfxr.so", "libhostpolicy.so"];

    private readonly HashSet<string> _replaced = process.ReadReplacedFiles();
    private readonly Dictionary<string, Image> _images = [];
    private readonly Dictionary<(string Path, ulong FileOffset), ReadyToRunImage?> _bundled = [];
    private readonly List<string> _notes = [];
    private ElfImage? _vdso;

    /// <summary>The number of bytes of files that may still be read.</summary>
    public ReadBudget Budget { get; } = budget ?? new ReadBudget();

    /// <summary>The files that could not be read, with the reasons.</summary>
    public IReadOnlyList<string> Notes => _notes;

    public static CpuProfileFrame Unnamed(string module, ulong offset) =>
        new(string.Create(CultureInfo.InvariantCulture, $"{module}+0x{offset:x}"), module, CpuProfileFrameKind.Unnamed);

    /// <summary>Returns the function at an address of a mapping; if it has no name, its module and offset.</summary>
    public CpuProfileFrame FrameAt(in CodeMapping mapping, ulong address)
    {
        string module = mapping.Path.Length > 0 ? Path.GetFileName(mapping.Path) : "[anonymous]";
        ulong offset = address - mapping.Start + mapping.FileOffset;
        if (mapping.Path == Vdso)
        {
            return new CpuProfileFrame(NameInVdso(mapping, address) ?? Vdso, Vdso, CpuProfileFrameKind.Native);
        }

        if (StrippedModules.Contains(module))
        {
            return new CpuProfileFrame(module, module, CpuProfileFrameKind.Native);
        }

        Image image = ImageOf(mapping.Path);
        if (image.Library is { } library && library.TryGetAddress((long)offset, out ulong place))
        {
            return library.NameOf(place) is { } function
                ? new CpuProfileFrame(function, module, CpuProfileFrameKind.Native)
                : Unnamed(module, library.StartOf(place));
        }

        // An offset that no segment of an ELF file loads may be an assembly in a single-file application.
        ReadyToRunImage? assembly = image.Library is null ? image.Assembly : BundledAssemblyOf(mapping);
        return assembly is null || !assembly.TryGetRva((long)offset, out uint rva) ? Unnamed(module, offset)
            : assembly.NameOf(rva) is { } method
                ? new CpuProfileFrame(MethodNames.Format(method), assembly.ModuleName, CpuProfileFrameKind.Managed)
            : assembly.IsThunk(rva) ? Stub
            : Unnamed(module, offset);
    }

    /// <summary>Returns the function at an address of the vDSO; null for its local functions, which have no symbols.</summary>
    private string? NameInVdso(in CodeMapping mapping, ulong address)
    {
        ElfImage? image = mapping.Start > uint.MaxValue ? _vdso ??= ReadVdso() : null; // that of 32-bit processes differs
        return image?.TryGetAddress((long)(address - mapping.Start), out ulong place) == true ? image.NameOf(place) : null;
    }

    /// <summary>Reads the vDSO of this process: the kernel maps the image of an ELF file into each process (vdso(7)).</summary>
    private static unsafe ElfImage? ReadVdso()
    {
        CodeMapping own = CodeMapping.Parse(new ProcessFiles(Environment.ProcessId).ReadMaps())
            .FirstOrDefault(mapping => mapping.Path == Vdso);
        return ElfImage.TryRead(new ReadOnlySpan<byte>((void*)own.Start, (int)own.Length).ToArray());
    }

    /// <summary>Returns the assembly whose code is in a mapping of a single-file application; null if there is none. The code starts in the
    /// page of the headers, or shortly after it.</summary>
    private ReadyToRunImage? BundledAssemblyOf(in CodeMapping mapping)
    {
        (string Path, ulong FileOffset) key = (mapping.Path, mapping.FileOffset);
        if (!_bundled.TryGetValue(key, out ReadyToRunImage? assembly))
        {
            long start = (long)mapping.FileOffset;
            for (int page = 0; page < MaxHeaderPages && start >= 0 && assembly is null; page++, start -= Environment.SystemPageSize)
            {
                assembly = ReadyToRunImage.TryRead(mapping.Path, out _, start, process.Root, Budget);
            }

            _bundled.Add(key, assembly);
        }

        return assembly;
    }

    private Image ImageOf(string path)
    {
        if (!_images.TryGetValue(path, out Image image))
        {
            _images.Add(path, image = IsFile(path) ? Read(path) : default);
        }

        return image;
    }

    // Other paths are [vdso], //anon, /memfd:name (deleted), and files that were replaced while in use.
    private static bool IsFile(string path) => path is ['/', not '/', ..]
        && !path.StartsWith("/memfd:", StringComparison.Ordinal)
        && !path.EndsWith(" (deleted)", StringComparison.Ordinal);

    private Image Read(string path)
    {
        if (_replaced.Contains(path))
        {
            AddNote(path, "the file was replaced or removed while the process used it");
            return default;
        }

        bool isAssembly = Path.GetExtension(path).ToUpperInvariant() is ".DLL" or ".EXE";
        string? reason;
        Image image = isAssembly
            ? new Image(ReadyToRunImage.TryRead(path, out reason, 0, process.Root, Budget), null)
            : new Image(null, ElfImage.TryRead(path, out reason, process.Root, Budget));
        if (reason is not null)
        {
            AddNote(path, reason);
        }

        return image;
    }

    private void AddNote(string path, string reason)
    {
        if (_notes.Count < MaxNotes)
        {
            _notes.Add($"Functions of {path} have no names: {reason.TrimEnd('.')}.");
        }
    }

    private readonly record struct Image(ReadyToRunImage? Assembly, ElfImage? Library);
}
