using System.Diagnostics.CodeAnalysis;
using Picollo.Diagnostics.Linux;

namespace Picollo.Diagnostics;

/// <summary>Chooses this system's <see cref="IJitterSystem"/>.</summary>
internal static class JitterSystems
{
    public static bool TryFind([NotNullWhen(true)] out IJitterSystem? system, [NotNullWhen(false)] out string? reason)
    {
        system = OperatingSystem.IsLinux() ? new LinuxJitterSystem() : null;
        reason = system is null ? "JitterMeter measures Linux; this is another system." : null;
        return system is not null;
    }
}
