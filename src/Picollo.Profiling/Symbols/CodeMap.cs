using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Symbols;

/// <summary>The names of a process's code.</summary>
/// <param name="mappings">Its executable memory, in the order in which it was mapped.</param>
/// <param name="perfMap">Its compiled methods; null if they are unknown.</param>
/// <param name="images">Its files.</param>
/// <param name="includesKernel">Whether the kernel's code was sampled.</param>
/// <param name="kernel">The kernel's functions; null if they are unknown.</param>
/// <param name="showsTiers">Whether names of compiled methods end with their tier.</param>
internal sealed class CodeMap(
    IReadOnlyList<CodeMapping> mappings, PerfMap? perfMap, CodeImages images, bool includesKernel, KernelSymbols? kernel, bool showsTiers)
{
    private const string KernelModule = "[kernel]";
    private const string Nowhere = "[unknown]";

    /// <summary>The kernel has the upper half of the addresses, on all supported architectures.</summary>
    private const ulong FirstOfKernel = 1UL << 63;

    private static readonly CpuProfileFrame Stub = new("[runtime stub]", "", CpuProfileFrameKind.Native);

    private readonly Dictionary<ulong, CpuProfileFrame> _frames = [];

    /// <summary>The function at an address; if it has no name, its module and the offset there.</summary>
    public CpuProfileFrame FrameAt(ulong address)
    {
        if (!_frames.TryGetValue(address, out CpuProfileFrame? frame))
        {
            _frames.Add(address, frame = Find(address));
        }

        return frame;
    }

    private CpuProfileFrame Find(ulong address)
    {
        if (address >= FirstOfKernel && includesKernel)
        {
            return kernel?.Find(address) is { } function
                ? new CpuProfileFrame(function.Name, function.Module, CpuProfileFrameKind.Kernel)
                : new CpuProfileFrame(KernelModule, KernelModule, CpuProfileFrameKind.Kernel);
        }

        if (perfMap?.NameAt(address) is { } text)
        {
            return PerfMapMethod.Parse(text) is not { } method ? new(text, "", CpuProfileFrameKind.Native)
                : new(
                    showsTiers && method.Tier.Length > 0 ? $"{method.Name} [{method.Tier}]" : method.Name,
                    method.Module,
                    CpuProfileFrameKind.Managed);
        }

        // The last one that contains it: a later mapping replaces an earlier one.
        for (int i = mappings.Count - 1; i >= 0; i--)
        {
            if (address - mappings[i].Start < mappings[i].Length)
            {
                return IsRuntimeStub(mappings[i]) ? Stub : images.FrameAt(mappings[i], address);
            }
        }

        // Not code, but what code without frame pointers has on its stack. It may be data of the program, so it is not shown.
        return new CpuProfileFrame(Nowhere, Nowhere, CpuProfileFrameKind.Unnamed);
    }

    /// <summary>Whether it is code between the methods that the perf map names.</summary>
    private bool IsRuntimeStub(in CodeMapping mapping) => perfMap is { IsComplete: true } && mapping.IsRuntimeMemory;
}
