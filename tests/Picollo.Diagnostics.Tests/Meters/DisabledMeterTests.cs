using Picollo.Tests.PerfEvent;

namespace Picollo.Diagnostics.Tests.Meters;

public sealed class DisabledMeterTests(FaultsApp app) : IClassFixture<FaultsApp>
{
    [Fact]
    [Trait("Category", "Slow")]
    public void Disabled_meters_are_reported()
    {
        Dictionary<string, string> findings = app.Run("no-meters");

        findings["reason"].Should().Contain("System.Diagnostics.Metrics.Meter.IsSupported").And.Contain("MetricsSupport");
        findings["series"].Should().Be("0");
        findings["enabled"].Should().Be("False", "the runtime has the same switch");
    }
}
