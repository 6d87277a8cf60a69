using System.Collections.Frozen;

namespace Picollo.Export;

/// <summary>The kind of a metric in OpenTelemetry's data model.</summary>
internal enum OtlpKind
{
    Histogram,

    /// <summary>A sum that does not decrease.</summary>
    Counter,

    /// <summary>A sum that can decrease. Always sent as a total, as the specification of the temporality preference requires.</summary>
    UpDownCounter,

    /// <summary>A value that does not add up over series.</summary>
    Gauge,
}

/// <summary>The name and the description of series. The unit is the name of a base unit of Prometheus, such as <c>seconds</c>, or an
/// annotation in braces, such as <c>{request}</c>; empty for none.</summary>
internal sealed record OtlpMetric(string Name, string Description, string Unit, OtlpKind Kind)
{
    /// <summary>Whether the metric is sent as deltas if the exporter prefers them.</summary>
    public bool CanBeDelta => Kind is OtlpKind.Histogram or OtlpKind.Counter;

    /// <summary>Whether the semantic conventions define the metric (https://opentelemetry.io/docs/specs/semconv/), so that other
    /// libraries may send it, too.</summary>
    public bool IsOfConventions
    {
        get
        {
            string start = Name.Split('.', 2)[0];

            // The conventions have no histogram of the runtime. Those of Picollo.Diagnostics are its own.
            return Namespaces.Contains(start) && start.Length < Name.Length && !(start == "dotnet" && Kind == OtlpKind.Histogram);
        }
    }

    // The namespaces of the metrics in version 1.38 that a .NET process can have.
    private static FrozenSet<string> Namespaces { get; } = FrozenSet.Create(
        StringComparer.Ordinal,
        "aspnetcore", "azure", "cicd", "container", "db", "dns", "dotnet", "faas", "gen_ai", "http", "hw", "k8s", "kestrel",
        "messaging", "nfs", "otel", "process", "rpc", "signalr", "system", "vcs");
}

/// <summary>A metric that is not a histogram, and its series with their current values.</summary>
internal sealed record OtlpFamily(OtlpMetric Metric, IReadOnlyList<PrometheusSample> Samples);
