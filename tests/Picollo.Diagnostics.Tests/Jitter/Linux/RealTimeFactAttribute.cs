namespace Picollo.Diagnostics.Tests.Linux;

/// <summary>A test that needs SCHED_FIFO; skipped, with the reason, where it is refused.</summary>
public sealed class RealTimeFactAttribute : FactAttribute
{
    private static readonly string? Reason = WhyNot();

    public RealTimeFactAttribute() => Skip = Reason;

    private static string? WhyNot()
    {
        if (!JitterMeter.TryStart(new JitterMeterOptions { Loops = 1 }, out JitterMeter? meter, out string? reason))
        {
            return reason;
        }

        meter.Dispose();
        return meter.UnavailableReasons.FirstOrDefault(limit => limit.StartsWith("SCHED_FIFO", StringComparison.Ordinal));
    }
}
