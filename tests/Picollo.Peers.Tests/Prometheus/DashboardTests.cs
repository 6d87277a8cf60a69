using System.Diagnostics;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>Tests that every query of the packaged dashboard and every recording rule returns data for samples/WebApi under load.</summary>
[Trait("Category", "Long")]
public sealed partial class DashboardTests
{
    private static readonly string Folder = Path.Combine(Repository.Root, "src", "Picollo.AspNetCore", "grafana");
    private static readonly string Rules = Path.Combine(Folder, "rules.yml");
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(120);

    [FactNeeding(Need.Prometheus)]
    public Task Every_query_returns_data_with_classic_histograms() => EveryQueryGivesData([]);

    [FactNeeding(Need.Prometheus)]
    public Task Every_query_returns_data_with_native_histograms() => EveryQueryGivesData(PrometheusServer.WithNativeHistograms);

    /// <summary>The tests of the rules include the thresholds of the alerts and the values of percentiles.</summary>
    [TheoryNeeding(Need.Prometheus)]
    [InlineData("test rules", "tests/Picollo.Peers.Tests/Prometheus/rules.test.yml")]
    [InlineData("check rules", "src/Picollo.AspNetCore/grafana/rules.yml")]
    [InlineData("check config", "samples/WebApi/prometheus.yml")]
    public void Promtool_accepts_the_rules_and_the_configuration_of_the_sample(string command, string path) =>
        Promtool.Run([], [.. command.Split(' '), Path.Combine(Repository.Root, path)]).Should().Match<(int ExitCode, string Output)>(test => test.ExitCode == 0);

    private static async Task EveryQueryGivesData(string[] arguments)
    {
        List<string> left = [.. Dashboard(), .. Recorded().Matches(await File.ReadAllTextAsync(Rules)).Select(match => match.Groups[1].Value)];
        left.Should().HaveCountGreaterThan(40);
        await using SampleProcess sample = new();
        await using PrometheusServer prometheus = new([sample.Address], "/picollo/metrics", arguments, Rules);
        using HttpClient client = new() { BaseAddress = sample.Address };
        Stopwatch elapsed = Stopwatch.StartNew();
        while (left.Count > 0 && elapsed.Elapsed < Patience)
        {
            await Load(client);
            foreach (string query in left.ToArray())
            {
                if (await prometheus.HasData(query))
                {
                    left.Remove(query);
                }
            }
        }

        left.Should().BeEmpty("each query must return data for an application under load");
        bool isClassic = await prometheus.HasData("http_server_request_duration_seconds_bucket");
        isClassic.Should().Be(arguments.Length == 0, "Prometheus stores only one kind of histograms");
    }

    /// <summary>Sends requests that succeed, fail, are not found, allocate, and are rejected by the queue of the CPU workers.</summary>
    private static async Task Load(HttpClient client)
    {
        string[] paths = ["/hello", "/flaky", "/flaky", "/flaky", "/nothing", "/quotes/P1", "/orders/1", "/ticks/50", .. Enumerable.Repeat("/primes/300000", 40)];
        await Task.WhenAll(paths.Select(async path => (await client.GetAsync(path)).Dispose()));
        for (int i = 0; i < 20; i++)
        {
            using StringContent order = new(new string('x', 200_000));
            (await client.PostAsync("/orders", order)).Dispose();
        }
    }

    private static List<string> Dashboard()
    {
        using JsonDocument dashboard = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(Folder, "dashboard.json")));
        return [.. dashboard.RootElement.GetProperty("panels").EnumerateArray()
            .Where(panel => panel.GetProperty("type").GetString() != "row")
            .SelectMany(panel => panel.GetProperty("targets").EnumerateArray())
            .Select(target => target.GetProperty("expr").GetString()!
                .Replace("$__rate_interval", "1m").Replace("$job", ".+").Replace("$instance", ".+").Replace("$route", ".+"))];
    }

    [GeneratedRegex(@"record: (\S+)")]
    private static partial Regex Recorded();
}
