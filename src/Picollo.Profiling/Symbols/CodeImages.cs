using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols.ReadyToRun;

namespace Picollo.Profiling.Symbols;

/// <summary>The names of code in files: assemblies with ReadyToRun code and native libraries. Each file is read once.</summary>
internal sealed class CodeImages(ProcessFiles process)
{
    private const int MostNotes = 5;

    /// <summary>The runtime's own libraries, which are published without their symbols: each of them is one frame.</summary>
    private static readonly HashSet<string> StrippedModules =
        ["libcoreclr.so", "libclrjit.so", "libclrgc.so", "libclrgcexp.so", "libhostfxr.so", "libhostpolicy.so"];

    private readonly Dictionary<string, Image> _images = [];
    private readonly List<string> _notes = [];

    /// <summary>Files that could not be read, and why.</summary>
    public IReadOnlyList<string> Notes => _notes;

    public static CpuProfileFrame Unnamed(string module, ulong offset) =>
        new(string.Create(CultureInfo.InvariantCulture, $"{module}+0x{offset:x}"), module, CpuProfileFrameKind.Unnamed);

    /// <summary>The function at an address of a mapping; if it has no name, its module and the offset there.</summary>
    public CpuProfileFrame FrameAt(in CodeMapping mapping, ulong address)
    {
        string module = mapping.Path.Length > 0 ? Path.GetFileName(mapping.Path) : "[anonymous]";
        ulong offset = address - mapping.Start + mapping.FileOffset;
        if (StrippedModules.Contains(module))
        {
            return new CpuProfileFrame(module, module, CpuProfileFrameKind.Native);
        }

        Image image = ImageOf(mapping.Path);
        if (image.Assembly is { } assembly && assembly.TryGetRva((long)offset, out uint rva))
        {
            return assembly.NameOf(rva) is { } method
                ? new CpuProfileFrame(MethodNames.Format(method), module, CpuProfileFrameKind.Managed)
                : Unnamed(module, offset);
        }

        return image.Library is not { } library || !library.TryGetAddress((long)offset, out ulong place) ? Unnamed(module, offset)
            : library.NameOf(place) is { } function ? new CpuProfileFrame(function, module, CpuProfileFrameKind.Native)
            : Unnamed(module, library.StartOf(place));
    }

    private Image ImageOf(string path)
    {
        if (!_images.TryGetValue(path, out Image image))
        {
            _images.Add(path, image = IsFile(path) ? Read(path) : default);
        }

        return image;
    }

    // Others are [vdso], //anon, /memfd:name (deleted), and files that were replaced while they were in use.
    private static bool IsFile(string path) => path is ['/', not '/', ..]
        && !path.StartsWith("/memfd:", StringComparison.Ordinal)
        && !path.EndsWith(" (deleted)", StringComparison.Ordinal);

    private Image Read(string path)
    {
        bool isAssembly = path.EndsWith(".dll", StringComparison.OrdinalIgnoreCase) || path.EndsWith(".exe", StringComparison.OrdinalIgnoreCase);
        string? reason;
        Image image = isAssembly
            ? new Image(ReadyToRunImage.TryRead(process.PathOf(path), out reason), null)
            : new Image(null, ElfImage.TryRead(process.PathOf(path), out reason));
        if (reason is not null && _notes.Count < MostNotes)
        {
            _notes.Add($"Functions of {path} have no names: {reason}");
        }

        return image;
    }

    private readonly record struct Image(ReadyToRunImage? Assembly, ElfImage? Library);
}
