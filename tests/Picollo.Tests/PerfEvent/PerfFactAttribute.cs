using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

/// <summary>A test that opens the kernel's own counters; skipped, with the reason, where that may not be.</summary>
public sealed class PerfFactAttribute : FactAttribute
{
    private static readonly string? Reason = Find();

    public PerfFactAttribute() => Skip = Reason;

    private static string? Find()
    {
        if (!PerfEventCounterSession.Factory.WithSoftwareCounter(PerfSoftwareCounterId.PageFaults).TryCreate(out PerfEventCounterSession? session, out string? reason))
        {
            return reason;
        }

        session.Dispose();
        return null;
    }
}
