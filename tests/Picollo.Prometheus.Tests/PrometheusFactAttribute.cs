namespace Picollo.Prometheus.Tests;

/// <summary>A test with Prometheus' own programs; skipped, with the reason, where they are not there.</summary>
internal sealed class PrometheusFactAttribute : FactAttribute
{
    public PrometheusFactAttribute() =>
        Skip = Tool.Exists("prometheus") && Tool.Exists("promtool") ? null : "no 'prometheus' and 'promtool' on the PATH (Debian's package prometheus)";
}
