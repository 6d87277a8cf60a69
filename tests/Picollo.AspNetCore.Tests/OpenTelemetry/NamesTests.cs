using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;
using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Tests.OpenTelemetry;

/// <summary>Files that use OpenTelemetry and Picollo compile without aliases.</summary>
public class NamesTests
{
    [Fact]
    public void Options_of_both_exporters_are_accessible_in_one_file()
    {
        OtlpExporterOptions theirs = new() { Protocol = OtlpExportProtocol.HttpProtobuf };
        OtlpExportOptions ours = new() { UseDeltaTemporality = true };

        theirs.GetType().Namespace.Should().Be("OpenTelemetry.Exporter");
        ours.GetType().Namespace.Should().Be("Picollo.Export");
    }

    [Fact]
    public void No_public_type_has_the_name_of_a_type_of_OpenTelemetry()
    {
        Type[] theirs = [typeof(OtlpExporterOptions), typeof(Sdk), typeof(MeterProvider), typeof(ResourceBuilder), typeof(TracerProvider)];
        Type[] ours = [typeof(PicolloOptions), typeof(RuntimeMeter), typeof(OtlpExporter), typeof(HdrHistogram)];

        NamesOf(ours).Should().Contain("OtlpExporter").And.NotIntersectWith(NamesOf(theirs));
    }

    private static IEnumerable<string> NamesOf(IEnumerable<Type> types) =>
        types.Select(type => type.Assembly).Distinct().SelectMany(assembly => assembly.GetExportedTypes()).Select(type => type.Name);
}
