using Picollo.Export;
using Picollo.Export.Text;

namespace Picollo.Profiling;

/// <summary>A function on the stacks of a <see cref="CpuProfile"/>.</summary>
/// <remarks>Immutable and thread-safe. Two frames are equal if their properties are equal. Control characters, and characters that change
/// the text direction, are replaced with question marks in <see cref="Name"/> and <see cref="Module"/>.</remarks>
public sealed record CpuProfileFrame
{
    internal CpuProfileFrame(string name, string module, CpuProfileFrameKind kind) =>
        (Name, Module, Kind) = (CleanText.From(name), CleanText.From(module), kind);

    /// <summary>The name as in the source, such as <c>MyApp.Parser.Read</c>, without parameters: overloads are one frame. If the name is
    /// unknown, it is the module and an offset, such as <c>libcoreclr.so+0x1f3a0</c>.</summary>
    public string Name { get; }

    /// <summary>The file name of the assembly or library, such as <c>MyApp.dll</c>; empty if it is unknown.</summary>
    public string Module { get; }

    /// <summary>The kind of code.</summary>
    public CpuProfileFrameKind Kind { get; }

    /// <summary>Returns <see cref="Name"/>.</summary>
    /// <returns>The name.</returns>
    public override string ToString() => Name;
}

/// <summary>The kind of code that a <see cref="CpuProfileFrame"/> belongs to.</summary>
public enum CpuProfileFrameKind
{
    /// <summary>A method that was compiled by the JIT compiler or ReadyToRun.</summary>
    Managed,

    /// <summary>A function of a native library, or of the runtime, or code of another JIT compiler, such as that of Node.js.</summary>
    Native,

    /// <summary>A function of the kernel.</summary>
    Kernel,

    /// <summary>Code without a name. It is shown as a module and an offset, and counted in
    /// <see cref="CpuProfile.UnnamedValue"/>.</summary>
    Unnamed,

    /// <summary>A group of stacks instead of code: all stacks, those of a process, or those whose outer callers are unknown because they
    /// are deeper than the kernel records.</summary>
    Group,
}
