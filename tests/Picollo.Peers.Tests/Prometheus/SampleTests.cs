using Picollo.Metrics;
using Xunit.Abstractions;
using static System.FormattableString;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>Tests three processes of samples/WebApi with the files of the sample.</summary>
[Trait("Category", "Long")]
public class SampleTests(ITestOutputHelper output)
{
    private const string Route = "/orders/{id:int}";
    private const string Selector = $"{{http_route='{Route}'}}";
    private const double NanosecondsPerSecond = 1e9;

    private static readonly string Sample = Path.Combine(Repository.Root, "samples", "WebApi");
    private static readonly string Rules = Path.Combine(Repository.Root, "src", "Picollo.AspNetCore", "grafana", "rules.yml");

    [FactNeeding(Need.Prometheus)]
    public void Promtool_accepts_the_rules_and_configuration_of_the_sample()
    {
        Promtool.Run([], "check", "rules", Rules).Should().Match<(int ExitCode, string Output)>(check => check.ExitCode == 0);
        Promtool.Run([], "check", "config", Path.Combine(Sample, "prometheus.yml")).Should().Match<(int ExitCode, string Output)>(check => check.ExitCode == 0);
    }

    [FactNeeding(Need.Prometheus)]
    public async Task Quantiles_of_requests_to_a_fleet_are_in_the_bucket_of_the_merged_histograms()
    {
        SampleProcess[] processes = [new(), new(), new()];
        await using PrometheusServer prometheus = new(processes.Select(process => process.Address), "/picollo/metrics", ruleFiles: Rules);
        try
        {
            // A route appears with its first request, and a rate needs two samples of it.
            await Task.WhenAll(processes.Select(process => process.Get("/orders/1")));
            await prometheus.WaitFor($"count_over_time(http_server_request_duration_seconds_count{Selector}[5m])", processes.Length, 2);
            await Task.WhenAll(processes.Select((process, number) => Load(process, number)));

            // A request is counted when it ends, shortly after its response.
            const ulong Requests = 3 + 30 + 60 + 90;
            await prometheus.WaitFor($"sum(http_server_request_duration_seconds_count{Selector})", 1, Requests);
            await prometheus.WaitFor($"sum(picollo_http_server_request_cpu_time_seconds_count{Selector})", 1, Requests);
            (HdrHistogram cpu, HdrHistogram wall) = await Merged(processes);
            (cpu.TotalCount, wall.TotalCount).Should().Be((Requests, Requests));
            DateTimeOffset now = DateTimeOffset.UtcNow;

            await Check(prometheus, "picollo_http_server_request_cpu_time_seconds", cpu, now);
            await Check(prometheus, "http_server_request_duration_seconds", wall, now);
        }
        finally
        {
            foreach (SampleProcess process in processes)
            {
                await process.DisposeAsync();
            }
        }
    }

    /// <summary>Sends requests that take longer for processes with higher numbers.</summary>
    private static async Task Load(SampleProcess process, int number)
    {
        for (int i = 0; i < 30 * (number + 1); i++)
        {
            await process.Get($"/orders/{(4 * number) + 1}");
        }
    }

    private static async Task<(HdrHistogram Cpu, HdrHistogram Wall)> Merged(SampleProcess[] processes)
    {
        HdrHistogram cpu = HdrHistogram.Factory.WithSignificantDigits(2).Create();
        HdrHistogram wall = HdrHistogram.Factory.WithSignificantDigits(2).Create();
        foreach (SampleProcess process in processes)
        {
            (HdrHistogram ownCpu, HdrHistogram ownWall) = await process.GetHistograms(Route);
            ownCpu.BlockSize.Should().Be(cpu.BlockSize, "values must not be moved to other buckets");
            cpu.Add(ownCpu);
            wall.Add(ownWall);
        }

        return (cpu, wall);
    }

    private async Task Check(PrometheusServer prometheus, string name, HdrHistogram merged, DateTimeOffset now)
    {
        foreach (double quantile in new[] { 0.5, 0.9, 0.99 })
        {
            double answer = NanosecondsPerSecond * await prometheus.Query(Invariant($"histogram_quantile({quantile}, sum by (le) ({name}_bucket{Selector}))"), now);
            ulong exact = merged.GetPercentileValue(100 * quantile);
            (double low, double high) = CoarseBuckets.Of(exact);
            output.WriteLine($"{name} {quantile}: {answer:N0} ns, exact {exact:N0} ns, {(answer / exact) - 1:P1}");
            answer.Should().BeInRange(low, high);
        }

        // The rules of the sample return the same, as a rate without the first request of each process.
        (double lowest, _) = CoarseBuckets.Of(merged.GetPercentileValue(0));
        (_, double highest) = CoarseBuckets.Of(merged.GetPercentileValue(100));
        await prometheus.WaitFor($"job_method_route:{name}:p99_5m{Selector}", 1, lowest / NanosecondsPerSecond);
        (await prometheus.Query($"job_method_route:{name}:p99_5m{Selector}")).Should().BeLessThanOrEqualTo(highest / NanosecondsPerSecond);
        (await prometheus.Query($"job_method_route:{name}:p50_5m{Selector}")).Should().BeInRange(lowest / NanosecondsPerSecond, highest / NanosecondsPerSecond);
    }
}
