using System.Text;
using Microsoft.AspNetCore.Builder;
using Picollo.Scheduling;

namespace Picollo.Samples.Tests.Guides;

/// <summary>Runs the programs of docs/scheduling.md, docs/aspnetcore.md, docs/security.md and docs/benchmarkdotnet.md.</summary>
[Collection(ConsoleOutput.Collection)]
public sealed class ServerGuideTests
{
    private const uint Checksum = 0xCBF43926; // of "123456789"

    [Fact]
    public async Task Bodies_return_the_same_result_with_and_without_a_pool()
    {
        await using var pool = new CpuWorkerPool();

        long primes = 0;
        ConsoleOutput.Of(() => primes = SchedulingGuide.FirstAsync().GetAwaiter().GetResult()).Should().Be($"{primes}\n");
        Markdown.Of("docs/scheduling.md").Text.Should().Contain($" // {primes}\n");
        (await SchedulingGuide.SharedAsync(ComputeAsync)).Should().Be(5);
        (await SchedulingGuide.ParallelLoopAsync(pool, [new byte[5], new byte[4]])).Should().Be(9);
        (await SchedulingGuide.WithoutPoolAsync(pool, ComputeAsync)).Should().Be((5, 5));

        static async Task<long> ComputeAsync(CpuTaskContext cpu)
        {
            await cpu.CheckpointAsync();
            return 5;
        }
    }

    [Fact]
    public void The_statistics_are_printed()
    {
        using var pool = new CpuWorkerPool();

        ConsoleOutput.Of(() => SchedulingGuide.StatisticsAsync(pool, async cpu => await cpu.CheckpointAsync()).GetAwaiter().GetResult())
            .Should().MatchRegex("^[0-9,]+ ns in the queue");
        pool.Statistics.CompletedCount.Should().Be(1);
    }

    [Fact]
    public async Task The_application_shows_its_requests()
    {
        await using WebApplication app = AspNetCoreGuide.Application(Builder());
        await app.StartAsync();
        using HttpClient client = new() { BaseAddress = new Uri(app.Urls.Single()) };

        (await client.GetStringAsync("/checksum/1")).Should().Be($"{Checksum}");
        (await client.PostAsync("/orders", new StringContent("{\"size\":77}", Encoding.UTF8, "application/json"))).EnsureSuccessStatusCode();

        (await client.GetStringAsync("/picollo")).Should().Contain("<bdi>/checksum/{blocks}</bdi>").And.Contain("<bdi>order_size</bdi>");
        string json = await client.GetStringAsync("/picollo/json");
        json.Should().ContainAll("\"windowSeconds\"", "\"routes\"", "\"cpuSeconds\":{\"p50\"", "\"p99\"", "\"rate\"", "\"machineShare\"", "\"max\":77");
    }

    [Fact]
    public async Task The_middleware_of_the_guide_prints_the_CPU_time_of_a_request()
    {
        await using WebApplication app = Builder().Build();
        new CpuTimeGuide.Startup().Configure(app);
        app.MapGet("/", async () => await Task.Yield());
        await app.StartAsync();
        using HttpClient client = new() { BaseAddress = new Uri(app.Urls.Single()) };

        ConsoleOutput.Of(() => client.GetStringAsync("/").GetAwaiter().GetResult())
            .Should().MatchRegex(@"^Cpu Usage by http request is [0-9.]+ .?s \(user [0-9.]+ .?s, kernel [0-9.]+ .?s\)\n$");
    }

    [Fact]
    public void The_configuration_for_benchmarks_adds_one_diagnoser() =>
        BenchmarkDotNetGuide.Config().GetDiagnosers().Should().ContainSingle(diagnoser => diagnoser.Ids.Contains("Picollo"));

    private static WebApplicationBuilder Builder() => WebApplication.CreateSlimBuilder(
        ["--urls", "http://127.0.0.1:0", "--Logging:LogLevel:Default", "None", "--environment", "Development"]);
}
