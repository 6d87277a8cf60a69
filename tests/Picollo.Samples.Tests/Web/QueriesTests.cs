using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Picollo.Samples.Web;

namespace Picollo.Samples.Tests.Web;

/// <summary>The dashboard and the recording rules ask for what the sample exports. Prometheus' own tool reads the rules in another project.</summary>
public sealed partial class QueriesTests
{
    [Fact]
    public async Task Every_metric_that_is_asked_for_is_exported_or_recorded()
    {
        HashSet<string> known = await ExportedAsync();
        string rules = Resource("recording-rules.yml");
        known.UnionWith(Recorded().Matches(rules).Select(match => match.Groups[1].Value));
        string[] dashboard = [.. Expressions(JsonDocument.Parse(Resource("grafana-dashboard.json")).RootElement)];
        string[] expressions = [.. dashboard, .. Expression().Matches(rules).Select(match => match.Groups[1].Value)];

        expressions.Should().HaveCountGreaterThan(15);
        string[] asked = [.. expressions.SelectMany(expression => Metric().Matches(expression)).Select(match => match.Value).Distinct()];
        asked.Should().HaveCountGreaterThan(4).And.BeSubsetOf(known);
    }

    [Fact]
    public void The_dashboard_adds_buckets_before_it_takes_a_percentile()
    {
        string[] percentiles = [.. Expressions(JsonDocument.Parse(Resource("grafana-dashboard.json")).RootElement).Where(text => text.Contains("quantile"))];
        percentiles.Should().HaveCount(4).And.OnlyContain(text => Regex.IsMatch(text, @"^histogram_quantile\(0\.99, sum by \([a-z_, ]*le\) \(rate\(\w+_bucket\{"));
    }

    private static async Task<HashSet<string>> ExportedAsync()
    {
        await using WebApplication application = Api.Create(["--urls", "http://127.0.0.1:0", "--Logging:LogLevel:Default", "None"]);
        await application.StartAsync();
        using HttpClient client = new() { BaseAddress = new Uri(application.Urls.Single()) };
        await client.GetStringAsync("/hello");
        string metrics = await client.GetStringAsync("/picollo/metrics");
        return [.. metrics.Split('\n').Where(line => line.Length > 0 && line[0] != '#').Select(line => line[..line.IndexOfAny(['{', ' '])])];
    }

    private static IEnumerable<string> Expressions(JsonElement dashboard) => dashboard.GetProperty("panels").EnumerateArray()
        .SelectMany(panel => panel.GetProperty("targets").EnumerateArray())
        .Select(target => target.GetProperty("expr").GetString()!);

    private static string Resource(string name)
    {
        using Stream stream = typeof(QueriesTests).Assembly.GetManifestResourceStream(name)!;
        using StreamReader reader = new(stream);
        return reader.ReadToEnd();
    }

    [GeneratedRegex(@"record: (\S+)")]
    private static partial Regex Recorded();

    [GeneratedRegex("expr: (.+)")]
    private static partial Regex Expression();

    [GeneratedRegex(@"[a-z_:0-9]*http_server[a-z_:0-9]*")]
    private static partial Regex Metric();
}
