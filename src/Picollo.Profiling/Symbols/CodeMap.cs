using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Symbols;

/// <summary>Finds the names of the code of a process. The perf map and the functions of the kernel are null if they are unknown.</summary>
/// <remarks>The mappings are in the order in which the memory was mapped.</remarks>
internal sealed class CodeMap(
    IReadOnlyList<CodeMapping> mappings, PerfMap? perfMap, CodeImages images, bool includesKernel, KernelSymbols? kernel, bool showsTiers)
{
    private const string KernelModule = "[kernel]";
    private const string UnknownCode = "[unknown]";

    /// <summary>The kernel uses the upper half of the addresses, on all supported architectures.</summary>
    private const ulong FirstKernelAddress = 1UL << 63;

    private readonly Dictionary<ulong, NamedCode> _codes = [];

    /// <summary>Returns the function at an address; if it has no name, its module and offset.</summary>
    public NamedCode At(ulong address)
    {
        ref NamedCode code = ref CollectionsMarshal.GetValueRefOrAddDefault(_codes, address, out bool isKnown);
        code = isKnown ? code : Find(address);
        return code;
    }

    private NamedCode Find(ulong address)
    {
        string? text = perfMap?.NameAt(address);
        if (text is not null && perfMap!.IsDotnet && PerfMapMethod.Parse(text) is { } method)
        {
            string name = showsTiers && method.Tier.Length > 0 ? $"{method.Name} [{method.Tier}]" : method.Name;
            bool isOnStack = method.Tier.EndsWith("OSR", StringComparison.Ordinal);
            return new NamedCode(new CpuProfileFrame(name, method.Module, CpuProfileFrameKind.Managed), method.Name, isOnStack);
        }

        return new NamedCode(FindOther(address, text), Method: "", IsOnStackReplacement: false);
    }

    private CpuProfileFrame FindOther(ulong address, string? compiled)
    {
        if (address >= FirstKernelAddress && includesKernel)
        {
            return kernel?.Find(address) is { } function
                ? new CpuProfileFrame(function.Name, function.Module, CpuProfileFrameKind.Kernel)
                : new CpuProfileFrame(KernelModule, KernelModule, CpuProfileFrameKind.Kernel);
        }

        if (compiled is not null)
        {
            return new CpuProfileFrame(compiled, "", CpuProfileFrameKind.Native);
        }

        // Uses the last mapping that contains the address, because a later mapping replaces an earlier one.
        for (int i = mappings.Count - 1; i >= 0; i--)
        {
            if (address - mappings[i].Start < mappings[i].Length)
            {
                return IsRuntimeStub(mappings[i]) ? CodeImages.Stub : images.FrameAt(mappings[i], address);
            }
        }

        // This is not code, but data on the stack of code without frame pointers. It may be data of the program, so it is not shown.
        return new CpuProfileFrame(UnknownCode, UnknownCode, CpuProfileFrameKind.Unnamed);
    }

    /// <summary>Whether it is code between the methods in the perf map.</summary>
    private bool IsRuntimeStub(in CodeMapping mapping) => perfMap is { IsComplete: true } && mapping.IsRuntimeMemory;
}

/// <summary>A function at an address.</summary>
/// <param name="Frame">The function.</param>
/// <param name="Method">The name of a compiled method without its tier; empty for other code.</param>
/// <param name="IsOnStackReplacement">Whether it continues a call of a less optimized version of the method, whose frame is still below it
/// and looks like a caller.</param>
internal readonly record struct NamedCode(CpuProfileFrame Frame, string Method, bool IsOnStackReplacement)
{
    public bool IsContinuationOf(in NamedCode caller) => IsOnStackReplacement && Method == caller.Method;
}
