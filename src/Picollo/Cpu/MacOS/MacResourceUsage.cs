using System.Diagnostics.CodeAnalysis;
using System.Runtime.Versioning;

namespace Picollo.Cpu.MacOS;

/// <summary><c>getrusage</c> of macOS, which has it for processes only.</summary>
[SupportedOSPlatform("macos")]
internal static unsafe class MacResourceUsage
{
    public static bool TryGet(ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out string? problem)
    {
        if (owner == ResourceOwner.Thread)
        {
            usage = default;
            problem = "macOS counts page faults and context switches by process, not by thread: take those of the process; CpuUsage.GetByThread() "
                + "tells the thread's CPU time.";
            return false;
        }

        DarwinResourceUsage read = default;
        bool known = LibSystem.GetResourceUsage(owner == ResourceOwner.Process ? LibSystem.UsageOfSelf : LibSystem.UsageOfChildren, &read) == 0;
        usage = known ? read.ToUsage() : default;
        problem = known ? null : "macOS refused getrusage.";
        return known;
    }
}
