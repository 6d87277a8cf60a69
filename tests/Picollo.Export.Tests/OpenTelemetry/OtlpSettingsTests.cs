namespace Picollo.Export.Tests;

public class OtlpSettingsTests
{
    [Fact]
    public void Without_variables_the_defaults_of_the_specification_apply()
    {
        OtlpSettings settings = Read();

        settings.Endpoint.Should().Be(new Uri("http://localhost:4318/v1/metrics"));
        (settings.Interval, settings.Timeout).Should().Be((TimeSpan.FromMinutes(1), TimeSpan.FromSeconds(10)));
        (settings.IsDelta, settings.UsesGzip, settings.IsDisabled).Should().Be((false, false, false));
        (settings.UsesGrpc, settings.UsesExponential, settings.Certificates).Should().Be((false, false, null));
        settings.Headers.Should().BeEmpty();
        settings.Resource.Keys.Should().Equal("service.instance.id", "service.name");
        settings.Resource["service.name"].Should().StartWith("unknown_service:");
        Read().Resource["service.instance.id"].Should().NotBe(settings.Resource["service.instance.id"]);
        settings.Warnings.Should().BeEmpty();
        Read(("OTEL_SDK_DISABLED", "True")).IsDisabled.Should().BeTrue();
        Read(new(), [], "app").Resource["service.name"].Should().Be("app");
        Read(new(), [("OTEL_RESOURCE_ATTRIBUTES", "service.name=x")], "app").Resource["service.name"].Should().Be("x");
    }

    [Theory]
    [InlineData("http://collector:4318", null, "http://collector:4318/v1/metrics")]
    [InlineData("https://collector/base", null, "https://collector/base/v1/metrics")]
    [InlineData("https://collector/base/", null, "https://collector/base/v1/metrics")]
    [InlineData("http://collector:4318", "http://other/opentelemetry/v1/metrics", "http://other/opentelemetry/v1/metrics")]
    [InlineData("http://collector:4318", "http://other", "http://other/")]
    [InlineData(" http://collector:4318 ", " ", "http://collector:4318/v1/metrics")]
    public void The_signal_endpoint_is_complete_and_the_general_one_is_a_base(string general, string? signal, string endpoint) =>
        Read(("OTEL_EXPORTER_OTLP_ENDPOINT", general), ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", signal)).Endpoint.Should().Be(new Uri(endpoint));

    [Theory]
    [InlineData(null, null, null, "http://localhost:4317")]
    [InlineData("http://collector:4317", null, null, "http://collector:4317")]
    [InlineData("https://collector:4317/any/path?x=y", null, null, "https://collector:4317")]
    [InlineData("collector:4317", null, null, "https://collector:4317")]
    [InlineData("collector:4317", null, "TRUE", "http://collector:4317")]
    [InlineData("collector:4317", null, "1", "https://collector:4317")]
    [InlineData("https://collector:4317", null, "true", "https://collector:4317")]
    [InlineData("http://collector:4317", "metrics:1", "true", "http://metrics:1")]
    [InlineData("ftp://collector:4317", null, null, "http://localhost:4317")]
    public void With_gRPC_an_endpoint_has_no_path_and_may_have_no_scheme(string? general, string? signal, string? insecure, string address)
    {
        OtlpSettings settings = Read(
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_ENDPOINT", general), ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", signal),
            ("OTEL_EXPORTER_OTLP_INSECURE", insecure));

        settings.UsesGrpc.Should().BeTrue();
        settings.Endpoint.Should().Be(new Uri(address + "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"));
    }

    [Theory]
    [InlineData("https://collector:4318", true)]
    [InlineData("http://collector:4318", false)]
    public void Files_of_certificates_are_used_only_with_TLS(string endpoint, bool areUsed)
    {
        OtlpSettings settings = Read(("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint), ("OTEL_EXPORTER_OTLP_CERTIFICATE", "missing.pem"));

        (settings.Certificates is not null).Should().Be(areUsed);
        settings.Warnings.Should().BeEmpty();
    }

    [Fact]
    public void The_protocol_and_the_aggregation_can_be_set()
    {
        const string Aggregation = "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION";
        Read((Aggregation, "base2_exponential_bucket_histogram")).UsesExponential.Should().BeTrue();
        Read((Aggregation, "explicit_bucket_histogram")).UsesExponential.Should().BeFalse();
        Read(new() { UseExponentialHistograms = true }, [(Aggregation, "explicit_bucket_histogram")]).UsesExponential.Should().BeTrue();
        Read(("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/protobuf")).UsesGrpc.Should().BeFalse();
        Read(new() { UseGrpc = false }, [("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]).UsesGrpc.Should().BeFalse();
        Read(new() { UseGrpc = true, Endpoint = new Uri("http://given:1/x") }, []).Endpoint.Should().Be(new Uri("http://given:1" + OtlpGrpc.MethodPath));
        Read(("OTEL_EXPORTER_OTLP_INSECURE", "true"), ("OTEL_EXPORTER_OTLP_METRICS_INSECURE", "false"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "x:1"))
            .Endpoint.Scheme.Should().Be("https");
    }

    [Theory]
    [InlineData("grpc", "http://x:4318", "Port 4318 is usually that of HTTP: see OTEL_EXPORTER_OTLP_PROTOCOL.")]
    [InlineData("grpc", "http://x:4317", "")]
    [InlineData("http/protobuf", "http://x:4317", "Port 4317 is usually that of gRPC: see OTEL_EXPORTER_OTLP_PROTOCOL.")]
    [InlineData("http/protobuf", "http://x:4318", "")]
    [InlineData("http/protobuf", "http://x", "")]
    public void Errors_contain_a_hint_if_the_port_is_that_of_the_other_protocol(string protocol, string endpoint, string hint) =>
        Read(("OTEL_EXPORTER_OTLP_PROTOCOL", protocol), ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)).PortHint.TrimStart().Should().Be(hint);

    [Fact]
    public void Signal_variables_override_general_ones_and_options_override_both()
    {
        (string, string?)[] variables =
        [
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "1000"), ("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "2000"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "none"), ("OTEL_EXPORTER_OTLP_METRICS_COMPRESSION", "gzip"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=1"), ("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "b=2%2C3, c = 4=5"),
            ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "Delta"), ("OTEL_METRIC_EXPORT_INTERVAL", "5000"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=x,deployment%2Eenvironment.name=a%20b"), ("OTEL_SERVICE_NAME", "shop"),
        ];
        OtlpSettings read = Read(variables);

        (read.Timeout, read.Interval, read.UsesGzip, read.IsDelta).Should().Be((TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(5), true, true));
        read.Headers.Should().Equal(new Dictionary<string, string> { ["b"] = "2,3", ["c"] = "4=5" });
        read.Resource.Should().Contain("service.name", "shop").And.Contain("deployment.environment.name", "a b");

        OtlpExportOptions options = new()
        {
            Endpoint = new Uri("http://given/"),
            Timeout = TimeSpan.FromSeconds(3),
            Interval = TimeSpan.FromSeconds(4),
            UseGzip = false,
            UseDeltaTemporality = false,
            Headers = { ["B"] = "given" },
            ResourceAttributes = { ["service.name"] = "given" },
        };
        OtlpSettings given = Read(options, variables);

        (given.Timeout, given.Interval, given.UsesGzip, given.IsDelta).Should().Be((TimeSpan.FromSeconds(3), TimeSpan.FromSeconds(4), false, false));
        foreach (string preference in new[] { "lowmemory", "delta", "cumulative" })
        {
            Read(("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", preference)).IsDelta.Should().Be(preference != "cumulative");
        }

        given.Endpoint.Should().Be(new Uri("http://given/"));
        given.Headers.Should().Equal(new Dictionary<string, string> { ["b"] = "given", ["c"] = "4=5" });
        given.Resource.Should().Contain("service.name", "given").And.Contain("deployment.environment.name", "a b");
    }

    [Theory]
    [InlineData("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "ftp://secret/")]
    [InlineData("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:secret@collector/")]
    [InlineData("OTEL_EXPORTER_OTLP_TIMEOUT", "0")]
    [InlineData("OTEL_EXPORTER_OTLP_TIMEOUT", "10s")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "-1")]
    [InlineData("OTEL_METRIC_EXPORT_INTERVAL", "4294967295")]
    [InlineData("OTEL_EXPORTER_OTLP_COMPRESSION", "secret")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "secret")]
    [InlineData("OTEL_EXPORTER_OTLP_HEADERS", "secret")]
    [InlineData("OTEL_EXPORTER_OTLP_HEADERS", "=secret")]
    [InlineData("OTEL_EXPORTER_OTLP_HEADERS", "a=secret%0A")]
    [InlineData("OTEL_EXPORTER_OTLP_HEADERS", "a b=secret")]
    [InlineData("OTEL_EXPORTER_OTLP_HEADERS", "Content-Type=secret")]
    [InlineData("OTEL_RESOURCE_ATTRIBUTES", "secret")]
    [InlineData("OTEL_EXPORTER_OTLP_PROTOCOL", "secret")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", "secret")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/json")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE", "secret.pem")]
    [InlineData("OTEL_EXPORTER_OTLP_CLIENT_KEY", "secret.pem")]
    [InlineData("OTEL_EXPORTER_OTLP_CLIENT_KEY", "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----")]
    [InlineData("OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE", "-----BEGIN CERTIFICATE-----\nsecret\n-----END CERTIFICATE-----")]
    public void An_invalid_variable_is_ignored_and_reported_without_its_value(string name, string value)
    {
        OtlpSettings settings = Read((name, value));

        string warning = settings.Warnings.Should().ContainSingle().Subject;
        warning.Should().Contain(name).And.NotContain("secret");
        (settings.Endpoint, settings.Interval, settings.Timeout, settings.IsDelta, settings.UsesGzip, settings.Headers.Count)
            .Should().Be((Read().Endpoint, Read().Interval, Read().Timeout, false, false, 0));
        (settings.UsesGrpc, settings.UsesExponential, settings.Certificates).Should().Be((false, false, null));
    }

    [Fact]
    public void Invalid_options_are_rejected_without_secrets()
    {
        Action<OtlpExportOptions>[] invalid =
        [
            options => options.Endpoint = new Uri("/v1/metrics", UriKind.Relative),
            options => options.Endpoint = new Uri("http://user:secret@collector/"),
            options => options.Interval = TimeSpan.Zero,
            options => options.Timeout = TimeSpan.FromDays(50),
            options => options.Headers["Authorization"] = "secret\n",
            options => options.ResourceAttributes[""] = "x",
            options => options.ExplicitBounds["x"] = [1, 1],
            options => options.ExplicitBounds["x"] = [2, 1],
            options => options.ExplicitBounds["x"] = [double.NaN],
            options => options.ExplicitBounds["x"] = [double.PositiveInfinity],
            options => options.ExplicitBounds["x"] = null!,
        ];
        foreach (Action<OtlpExportOptions> set in invalid)
        {
            OtlpExportOptions options = new();
            FluentActions.Invoking(() =>
            {
                set(options);
                Read(options, []);
            }).Should().Throw<ArgumentException>().Which.Message.Should().NotContain("secret");
        }
    }

    private static OtlpSettings Read(params (string Name, string? Value)[] variables) => Read(new OtlpExportOptions(), variables);

    private static OtlpSettings Read(OtlpExportOptions options, (string Name, string? Value)[] variables, string? service = null) =>
        new(options, name => variables.FirstOrDefault(variable => variable.Name == name).Value, service);
}
