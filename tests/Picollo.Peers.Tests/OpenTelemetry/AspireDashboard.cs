using System.Diagnostics;
using System.Globalization;

namespace Picollo.Peers.Tests.OpenTelemetry;

/// <summary>The dashboard of .NET Aspire.</summary>
internal sealed class AspireDashboard(bool usesGrpc) : OtlpPeer
{
    /// <summary>The key that exporters must send in the header <c>x-otlp-api-key</c>, as if an AppHost had started them.</summary>
    public const string Key = "picollo";

    // The last data point of an instrument. The dashboard has no interface for metrics other than its page.
    private const string Query = """
        import sqlite3, sys
        database = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
        row = database.execute(
            "SELECT histogram_count FROM telemetry_metric_points JOIN telemetry_metric_dimensions USING (dimension_id) "
            "JOIN telemetry_metric_instruments USING (instrument_id) WHERE instrument_name = ? ORDER BY point_id DESC LIMIT 1", (sys.argv[2],)).fetchone()
        print(row[0] if row else "")
        """;

    private readonly Uri _grpc = FreeAddress();
    private readonly Uri _http = FreeAddress();

    public override Uri Endpoint => usesGrpc ? _grpc : new Uri(_http, "v1/metrics");

    public override bool UsesGrpc => usesGrpc;

    protected override string HealthPath => "api/telemetry/resources";

    public override Task<ulong?> CountAsync(string histogram)
    {
        string database = Directory.EnumerateFiles(Folder, "dashboard.db", SearchOption.AllDirectories).MaxBy(File.GetCreationTimeUtc)!;
        string count = Tool.Run("python3", Folder, new Dictionary<string, string?>(), "-c", Query, database, histogram).Trim();
        return Task.FromResult<ulong?>(count.Length == 0 ? null : ulong.Parse(count, CultureInfo.InvariantCulture));
    }

    protected override ProcessStartInfo StartInfo() => new(Needs.AspireDashboard)
    {
        WorkingDirectory = Path.GetDirectoryName(Needs.AspireDashboard),
        Environment =
        {
            ["ASPNETCORE_URLS"] = Address.ToString(),
            ["ASPIRE_DASHBOARD_OTLP_ENDPOINT_URL"] = _grpc.ToString(),
            ["ASPIRE_DASHBOARD_OTLP_HTTP_ENDPOINT_URL"] = _http.ToString(),
            ["Dashboard__Frontend__AuthMode"] = "Unsecured",
            ["Dashboard__Api__AuthMode"] = "Unsecured",
            ["Dashboard__Otlp__AuthMode"] = "ApiKey",
            ["Dashboard__Otlp__PrimaryApiKey"] = Key,
            ["TMPDIR"] = Folder, // of the database
        },
    };
}
