namespace Picollo.Kernel.Tests;

/// <summary>A test that boots a kernel on an emulated machine; skipped, with the reason, where something for that is missing.</summary>
public sealed class KernelFactAttribute : FactAttribute
{
    /// <param name="rid">The machine's kind: linux-arm64 or linux-x64.</param>
    public KernelFactAttribute(string rid) => Skip = GuestPlatform.Of(rid).MissingHere();
}
