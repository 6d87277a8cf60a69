using OpenTelemetry;
using OpenTelemetry.Trace;
using Picollo.Diagnostics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/spans.md, except its first program.</summary>
internal static class SpansGuide
{
    public static void WithoutAHost()
    {
        using ActivityCpuMeter spans = ActivityCpuMeter.Start("MyCompany.*");
        using TracerProvider tracer = Sdk.CreateTracerProviderBuilder()
            .AddSource("MyCompany.*")
            .AddOtlpExporter()
            .Build();
    }
}
