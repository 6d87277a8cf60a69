using Picollo.Interop.Native;

namespace Picollo.Tests.PerfEvent;

/// <summary>A test that calls the native library's page readers; skipped, with the reason, where there is none.</summary>
public sealed class ShimFactAttribute : FactAttribute
{
    public unsafe ShimFactAttribute() => Skip = NativeShim.Current.ReadThreadTime != null
        ? null
        : NativeShim.Current.UnavailableReason ?? "the native library lacks the page readers";
}
