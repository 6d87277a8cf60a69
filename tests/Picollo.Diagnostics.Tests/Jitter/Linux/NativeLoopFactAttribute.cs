using Picollo.Interop.Native;

namespace Picollo.Diagnostics.Tests.Linux;

/// <summary>A test of the native loop on Linux; skipped, with the reason, where there is no library.</summary>
public sealed class NativeLoopFactAttribute : FactAttribute
{
    public unsafe NativeLoopFactAttribute() => Skip = !OperatingSystem.IsLinux() ? "what is tested here exists on Linux only"
        : NativeShim.Current.RunJitter == null ? NativeShim.Current.UnavailableReason
        : null;
}
