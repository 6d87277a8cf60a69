using System.Diagnostics.CodeAnalysis;

namespace Picollo.Export;

/// <summary>The options of an exporter, completed with environment variables.</summary>
internal sealed class OtlpSettings
{
    private const string DefaultEndpoint = "http://localhost:4318/v1/metrics";
    private const string DefaultGrpcEndpoint = "http://localhost:4317";
    private const int HttpPort = 4318;
    private const int GrpcPort = 4317;
    private const string SignalPath = "v1/metrics";
    private const string Prefix = "OTEL_EXPORTER_OTLP_";
    private const string SignalPrefix = Prefix + "METRICS_";
    private const string Exponential = "base2_exponential_bucket_histogram";
    private const string ServiceName = "service.name";
    private const string ServiceInstanceId = "service.instance.id";

    private static readonly TimeSpan MinTime = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan MaxTime = TimeSpan.FromDays(49); // a timer takes no more than 2³² ms
    private static readonly TimeSpan DefaultInterval = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(10);

    // Header names are tokens of RFC 9110. Values are visible ASCII, because HTTP allows no other characters.
    private static readonly SearchValues<char> NameCharacters =
        SearchValues.Create("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    private readonly Func<string, string?> _variables;

    /// <exception cref="ArgumentException">An option is invalid.</exception>
    public OtlpSettings(OtlpExportOptions options, Func<string, string?> variables, string? defaultServiceName)
    {
        _variables = variables;
        IsDisabled = ReadFlag("OTEL_SDK_DISABLED");
        UsesGrpc = options.UseGrpc ?? (ReadSignalChoice("PROTOCOL", "http/protobuf", "grpc") == "grpc");
        Endpoint = options.Endpoint is { } endpoint ? Check(endpoint) : UsesGrpc ? ReadGrpcEndpoint() : ReadEndpoint();
        Endpoint = UsesGrpc ? new Uri(Endpoint, OtlpGrpc.MethodPath) : Endpoint;
        Interval = Check(options.Interval, nameof(options.Interval)) ?? ReadTime("OTEL_METRIC_EXPORT_INTERVAL") ?? DefaultInterval;
        Timeout = Check(options.Timeout, nameof(options.Timeout))
            ?? ReadTime(SignalPrefix + "TIMEOUT") ?? ReadTime(Prefix + "TIMEOUT") ?? DefaultTimeout;
        IsDelta = options.UseDeltaTemporality
            ?? (ReadChoice(SignalPrefix + "TEMPORALITY_PREFERENCE", "cumulative", "delta", "lowmemory") is "delta" or "lowmemory");
        UsesGzip = options.UseGzip ?? (ReadSignalChoice("COMPRESSION", "gzip", "none") == "gzip");
        UsesExponential = options.UseExponentialHistograms
            ?? (ReadChoice(SignalPrefix + "DEFAULT_HISTOGRAM_AGGREGATION", "explicit_bucket_histogram", Exponential) == Exponential);
        Buckets = new OtlpBuckets(UsesExponential, Check(options.ExplicitBounds));
        Headers = ReadHeaders(options.Headers);
        Resource = ReadResource(options.ResourceAttributes, defaultServiceName);
        Certificates = ReadCertificates() is { } files && Endpoint.Scheme == Uri.UriSchemeHttps ? files : null;
    }

    public bool IsDisabled { get; }

    public bool UsesGrpc { get; }

    /// <summary>The complete address of requests.</summary>
    public Uri Endpoint { get; }

    /// <summary>The endpoint without parts that may be secret.</summary>
    public string EndpointText => Endpoint.GetComponents(UriComponents.SchemeAndServer | UriComponents.Path, UriFormat.UriEscaped);

    /// <summary>A sentence for errors if the port is usually that of the other protocol.</summary>
    public string PortHint => (UsesGrpc, Endpoint.Port) switch
    {
        (false, GrpcPort) => " Port 4317 is usually that of gRPC: see OTEL_EXPORTER_OTLP_PROTOCOL.",
        (true, HttpPort) => " Port 4318 is usually that of HTTP: see OTEL_EXPORTER_OTLP_PROTOCOL.",
        _ => "",
    };

    public IReadOnlyDictionary<string, string> Headers { get; }

    public TimeSpan Interval { get; }

    public TimeSpan Timeout { get; }

    public bool IsDelta { get; }

    public bool UsesGzip { get; }

    public bool UsesExponential { get; }

    public OtlpBuckets Buckets { get; }

    public IReadOnlyDictionary<string, string> Resource { get; }

    /// <summary>The files of certificates; null for the system's certificates, and without TLS.</summary>
    public OtlpCertificates? Certificates { get; }

    /// <summary>The messages about variables that are ignored.</summary>
    public List<string> Warnings { get; } = [];

    private string? ValueOf(string name) => _variables(name) is { } text && !string.IsNullOrWhiteSpace(text) ? text.Trim() : null;

    /// <summary>Returns the variable that applies: that of metrics if it is set, or the general one.</summary>
    private string NameOf(string name) => ValueOf(SignalPrefix + name) is null ? Prefix + name : SignalPrefix + name;

    private bool ReadFlag(string name) => ValueOf(name)?.Equals("true", StringComparison.OrdinalIgnoreCase) == true;

    /// <summary>Reads an address whose path is not used. It may have no scheme.</summary>
    private Uri ReadGrpcEndpoint()
    {
        string scheme = ReadFlag(NameOf("INSECURE")) ? "http://" : "https://";
        return ReadUri(SignalPrefix + "ENDPOINT", scheme) ?? ReadUri(Prefix + "ENDPOINT", scheme) ?? new Uri(DefaultGrpcEndpoint);
    }

    private Uri ReadEndpoint()
    {
        if (ReadUri(SignalPrefix + "ENDPOINT") is { } complete)
        {
            return complete;
        }

        UriBuilder endpoint = new(ReadUri(Prefix + "ENDPOINT") ?? new Uri(DefaultEndpoint[..^SignalPath.Length]));
        endpoint.Path = endpoint.Path.TrimEnd('/') + "/" + SignalPath;
        return endpoint.Uri;
    }

    private Uri? ReadUri(string name, string defaultScheme = "")
    {
        if (ValueOf(name) is not { } text)
        {
            return null;
        }

        text = text.Contains("://", StringComparison.Ordinal) ? text : defaultScheme + text;

        if (Uri.TryCreate(text, UriKind.Absolute, out Uri? endpoint) && FaultOf(endpoint) is null)
        {
            return endpoint;
        }

        Warn(name, "must be an absolute http or https URL without credentials");
        return null;
    }

    private static Uri Check(Uri endpoint) =>
        FaultOf(endpoint) is { } fault ? throw Invalid(fault, nameof(OtlpExportOptions.Endpoint)) : endpoint;

    private static ArgumentException Invalid(string fault, string option) => new(fault, option);

    private static string? FaultOf(Uri endpoint) =>
        !endpoint.IsAbsoluteUri || endpoint.Scheme is not ("http" or "https") ? "The endpoint must be an absolute http or https URL."
        : endpoint.UserInfo.Length > 0 ? "The endpoint must not contain credentials: use Headers."
        : null;

    private static TimeSpan? Check(TimeSpan? time, string name)
    {
        if (time is { } given)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(given, MinTime, name);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(given, MaxTime, name);
        }

        return time;
    }

    /// <summary>Copies the bounds of histograms.</summary>
    private static Dictionary<string, double[]> Check(IDictionary<string, IReadOnlyList<double>> given)
    {
        Dictionary<string, double[]> all = new(StringComparer.Ordinal);
        foreach ((string name, IReadOnlyList<double> bounds) in given)
        {
            bool isAscending = bounds is not null && bounds.Zip(bounds.Skip(1), (bound, next) => bound < next).All(ascends => ascends);
            all[name] = isAscending && bounds!.All(double.IsFinite)
                ? [.. bounds!]
                : throw Invalid($"The bounds of '{name}' must be ascending, finite numbers.", nameof(OtlpExportOptions.ExplicitBounds));
        }

        return all;
    }

    private TimeSpan? ReadTime(string name)
    {
        if (ValueOf(name) is not { } text)
        {
            return null;
        }

        if (uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out uint milliseconds)
            && TimeSpan.FromMilliseconds((long)milliseconds) is var time && time >= MinTime && time <= MaxTime)
        {
            return time;
        }

        Warn(name, "must be a number of milliseconds from 1 to 4233600000 (49 days)");
        return null;
    }

    private string? ReadSignalChoice(string name, params ReadOnlySpan<string> choices) =>
        ReadChoice(SignalPrefix + name, choices) ?? ReadChoice(Prefix + name, choices);

    private string? ReadChoice(string name, params ReadOnlySpan<string> choices)
    {
        if (ValueOf(name) is not { } text)
        {
            return null;
        }

        foreach (string choice in choices)
        {
            if (choice.Equals(text, StringComparison.OrdinalIgnoreCase))
            {
                return choice;
            }
        }

        Warn(name, $"must be one of {string.Join(", ", choices!)}");
        return null;
    }

    private Dictionary<string, string> ReadHeaders(IDictionary<string, string> given)
    {
        Dictionary<string, string> headers = new(StringComparer.OrdinalIgnoreCase);
        string name = NameOf("HEADERS");
        foreach ((string key, string value) in ReadPairs(name))
        {
            if (IsHeader(key, value))
            {
                headers[key] = value;
            }
            else
            {
                Warn(name, "contains a header that HTTP does not allow");
            }
        }

        foreach ((string key, string value) in given)
        {
            headers[key] = IsHeader(key, value)
                ? value
                : throw Invalid($"HTTP does not allow the header '{key}' or its value.", nameof(OtlpExportOptions.Headers));
        }

        return headers;
    }

    private static bool IsHeader(string key, [NotNullWhen(true)] string? value) =>
        key.Length > 0 && !key.AsSpan().ContainsAnyExcept(NameCharacters) && !key.StartsWith("Content-", StringComparison.OrdinalIgnoreCase)
        && value is not null && !value.AsSpan().ContainsAnyExceptInRange(' ', '~');

    private SortedDictionary<string, string> ReadResource(IDictionary<string, string> given, string? defaultServiceName)
    {
        SortedDictionary<string, string> all = new(StringComparer.Ordinal)
        {
            [ServiceName] = defaultServiceName ?? $"unknown_service:{Path.GetFileNameWithoutExtension(Environment.ProcessPath)}",
            [ServiceInstanceId] = Guid.NewGuid().ToString(),
        };
        foreach ((string key, string value) in ReadPairs("OTEL_RESOURCE_ATTRIBUTES"))
        {
            all[key] = value;
        }

        if (ValueOf("OTEL_SERVICE_NAME") is { } name)
        {
            all[ServiceName] = name;
        }

        foreach ((string key, string value) in given)
        {
            ArgumentException.ThrowIfNullOrEmpty(key, nameof(OtlpExportOptions.ResourceAttributes));
            all[key] = value ?? throw Invalid($"The value of '{key}' must not be null.", nameof(OtlpExportOptions.ResourceAttributes));
        }

        return all;
    }

    /// <summary>Reads <c>key=value,key=value</c>, with values in percent encoding (W3C Baggage). The whole list is ignored if a part is
    /// invalid.</summary>
    private List<KeyValuePair<string, string>> ReadPairs(string name)
    {
        List<KeyValuePair<string, string>> pairs = [];
        foreach (string part in (ValueOf(name) ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            int equals = part.IndexOf('=', StringComparison.Ordinal);
            if (equals <= 0)
            {
                Warn(name, "must be a comma-separated list of key=value pairs");
                return [];
            }

            pairs.Add(new(Uri.UnescapeDataString(part[..equals].Trim()), Uri.UnescapeDataString(part[(equals + 1)..].Trim())));
        }

        return pairs;
    }

    private OtlpCertificates? ReadCertificates()
    {
        OtlpFile? trusted = ReadFile("CERTIFICATE");
        OtlpFile? client = ReadFile("CLIENT_CERTIFICATE");
        OtlpFile? key = ReadFile("CLIENT_KEY");
        if ((client is null) != (key is null))
        {
            Warn((client ?? key)!.Variable, $"requires {Prefix}{(client is null ? "CLIENT_CERTIFICATE" : "CLIENT_KEY")}, which is not set");
            (client, key) = (null, null);
        }

        return trusted is null && client is null ? null : new OtlpCertificates(trusted, client, key);
    }

    private OtlpFile? ReadFile(string name)
    {
        string variable = NameOf(name);
        string? path = ValueOf(variable);
        if (path?.Contains("-----BEGIN", StringComparison.Ordinal) == true)
        {
            Warn(variable, "must be the path of a file, and not its content"); // errors contain the path
            return null;
        }

        return path is null ? null : new(variable, path);
    }

    // The message does not contain the value, which may be secret.
    private void Warn(string name, string fault) => Warnings.Add($"The variable {name} is ignored: it {fault}.");
}
