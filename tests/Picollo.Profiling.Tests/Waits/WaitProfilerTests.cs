using Picollo.Profiling.Waits;

namespace Picollo.Profiling.Tests.Waits;

[Trait("Category", "Slow")]
public class WaitProfilerTests
{
    [FactNeeding(Need.Linux)]
    public void Without_diagnostics_the_reason_is_reported()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled", new() { ["DOTNET_EnableDiagnostics"] = "0" });

        Action start = () => WaitProfiler.Start(process.Id).Dispose();

        start.Should().Throw<MeasurementUnavailableException>().WithMessage(
            "Waits cannot be measured: the process was started with DOTNET_EnableDiagnostics=0; start it without this setting.");
    }
}
