namespace Picollo.Export.Tests;

public class AcceptHeaderTests
{
    // Headers that Prometheus sends, with and without native histograms (scrape/scrape.go). This is 2.40 to 2.48.
    private const string Native =
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,"
        + "application/openmetrics-text;version=1.0.0;q=0.8,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

    private const string Classic =
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

    // 2.49.1 to 2.54. The quality in 2.49.0 has no "0." for the wildcard.
    private const string Native249 =
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.5,"
        + "application/openmetrics-text;version=1.0.0;q=0.4,application/openmetrics-text;version=0.0.1;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=";

    private const string Classic249 =
        "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=";

    // 3.0 and 3.1.
    private const string Native30 =
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;escaping=allow-utf-8;q=0.6,"
        + "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;escaping=allow-utf-8;q=0.4,"
        + "text/plain;version=1.0.0;escaping=allow-utf-8;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;escaping=allow-utf-8;q=0.2,*/*;q=0.1";

    private const string Classic30 =
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;escaping=allow-utf-8;q=0.5,"
        + "text/plain;version=1.0.0;escaping=allow-utf-8;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;escaping=allow-utf-8;q=0.3,*/*;q=0.2";

    // 3.4 to 3.14.
    private const string Native34 =
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,"
        + "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,"
        + "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";

    private const string Classic34 =
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,"
        + "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";

    // 3.4 to 3.14 with scrape_protocols: [PrometheusText1.0.0], a format that Picollo does not write.
    private const string TextOnly34 = "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.6,*/*;q=0.5";

    private const string Agent = "text/plain;version=0.0.4;q=1,*/*;q=0.1"; // VictoriaMetrics
    private const string Browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
    private const string Protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";

    [Theory]
    [InlineData(Native, PrometheusFormat.Protobuf), InlineData(Classic, PrometheusFormat.OpenMetrics)]
    [InlineData(Native249 + "0.1", PrometheusFormat.Protobuf), InlineData(Classic249 + "0.2", PrometheusFormat.OpenMetrics)]
    [InlineData(Native249 + "1", PrometheusFormat.Protobuf), InlineData(Classic249 + "2", PrometheusFormat.OpenMetrics)]
    [InlineData(Native30, PrometheusFormat.Protobuf), InlineData(Classic30, PrometheusFormat.OpenMetrics)]
    [InlineData(Native34, PrometheusFormat.Protobuf), InlineData(Classic34, PrometheusFormat.OpenMetrics)]
    [InlineData(TextOnly34, PrometheusFormat.Text), InlineData(Agent, PrometheusFormat.Text), InlineData(Browser, PrometheusFormat.Text)]
    [InlineData("*/*," + Protobuf + ";q=0.7", PrometheusFormat.Text), InlineData("text/plain;q=0.5,*/*," + Protobuf + ";q=0.7", PrometheusFormat.Protobuf)]
    [InlineData("Application/VND.google.protobuf ; Proto=\"io.prometheus.client.MetricFamily\" ; Encoding = delimited", PrometheusFormat.Protobuf)]
    [InlineData("text/plain;q=0.9," + Protobuf + ";q=0.7", PrometheusFormat.Text)]
    [InlineData("text/plain;q=0.6," + Protobuf + ";q=0.7", PrometheusFormat.Protobuf)]
    [InlineData("text/plain," + Protobuf, PrometheusFormat.Text), InlineData(Protobuf + ",text/plain", PrometheusFormat.Protobuf)]
    [InlineData(Protobuf + ";q=0.0", PrometheusFormat.Text), InlineData(Protobuf + ";q=0", PrometheusFormat.Text)]
    [InlineData(Protobuf + ";q=-1", PrometheusFormat.Text), InlineData(Protobuf + ";q=NaN", PrometheusFormat.Text)]
    [InlineData(Protobuf + ";q=x", PrometheusFormat.Protobuf)]
    [InlineData("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text", PrometheusFormat.Text)]
    [InlineData("application/vnd.google.protobuf;proto=other;encoding=delimited", PrometheusFormat.Text)]
    [InlineData("application/vnd.google.protobuf", PrometheusFormat.Text)]
    [InlineData("application/openmetrics-text", PrometheusFormat.OpenMetrics)]
    [InlineData("application/openmetrics-text;version=2.0.0", PrometheusFormat.Text)]
    [InlineData("application/openmetrics-text;q=0.1,text/*;q=0.2", PrometheusFormat.Text)]
    [InlineData("application/json", PrometheusFormat.Text), InlineData(",;,=,;=", PrometheusFormat.Text)]
    [InlineData("", PrometheusFormat.Text), InlineData(null, PrometheusFormat.Text)]
    public void The_format_is_the_one_that_the_client_prefers(string? accept, PrometheusFormat format) =>
        PrometheusWriter.SelectFormat(accept).Should().Be(format);

    [Fact]
    public void Content_types_have_the_version_and_select_the_same_format()
    {
        PrometheusWriter.GetContentType(PrometheusFormat.Text).Should().Be("text/plain; version=0.0.4; charset=utf-8");
        PrometheusWriter.GetContentType(PrometheusFormat.OpenMetrics).Should().Be("application/openmetrics-text; version=1.0.0; charset=utf-8");
        PrometheusWriter.GetContentType(PrometheusFormat.Protobuf).Should()
            .Be("application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited");
        foreach (PrometheusFormat format in Enum.GetValues<PrometheusFormat>())
        {
            PrometheusWriter.SelectFormat(PrometheusWriter.GetContentType(format)).Should().Be(format);
        }

        FluentActions.Invoking(() => PrometheusWriter.GetContentType((PrometheusFormat)3)).Should().Throw<ArgumentOutOfRangeException>();
    }
}
