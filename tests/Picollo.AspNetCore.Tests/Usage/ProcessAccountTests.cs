using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore.Tests.Requests;
using Picollo.AspNetCore.Usage;
using Picollo.AspNetCore.Work;
using Picollo.AspNetCore.Workers;
using Picollo.Cpu;
using Picollo.TestKit;

namespace Picollo.AspNetCore.Tests.Usage;

/// <summary>Tests, in a real application, that all CPU time of the process is in one of the parts.</summary>
public class ProcessAccountTests
{
    private const double Burnt = 50; // milliseconds

    // The time between the readings of two parts on a busy machine.
    private const double Skew = 0.05;

    [Fact]
    public async Task The_parts_add_up_to_the_CPU_time_of_the_process()
    {
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapGet("/", () => { Burn.Milliseconds(Burnt); }));
        ProcessAccount account = app.Services.GetRequiredService<ProcessAccount>();
        IReadOnlyList<CpuPart> last = account.Read();
        for (int i = 0; i < 5; i++)
        {
            await app.Client.GetStringAsync("/");
            double before = CpuUsageReader.GetProcessTimeNanoseconds() / 1e9;
            IReadOnlyList<CpuPart> parts = account.Read();
            double after = CpuUsageReader.GetProcessTimeNanoseconds() / 1e9;

            parts.Select(part => part.Name).Should().Equal(
                "requests", "after_response", "work", "page", "cpu_workers", "garbage_collector", "jit_compiler", "thread_pool", "rest");
            (parts.Sum(part => part.Nanoseconds) / 1e9).Should().BeInRange(before - Skew, after + Skew);
            parts.Zip(last).Should().OnlyContain(pair => pair.First.Nanoseconds >= pair.Second.Nanoseconds, "no part ever decreases");
            last = parts;
        }
    }

    [Fact]
    public async Task The_rest_does_not_decrease_when_flows_are_read_later_than_the_process()
    {
        await using RequestApp app = await RequestApp.StartAsync(_ => { });
        ProcessAccount account = app.Services.GetRequiredService<ProcessAccount>();
        long before = account.Read()[^1].Nanoseconds;
        app.Routes.Get("GET", "/later").Record(new RunUsage(1_000_000_000_000, 1, null));

        account.Read()[^1].Nanoseconds.Should().Be(before).And.BePositive();
    }

    [Fact]
    public async Task The_parts_do_not_overlap()
    {
        Task background = Task.CompletedTask;
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapPicollo().AllowAnonymous();
            web.MapGet("/work", (WorkMeter meter) =>
            {
                using (meter.Measure("work"))
                {
                    Burn.Milliseconds(Burnt);
                }

                background = Task.Run(async () =>
                {
                    await Task.Delay(100);
                    Burn.Milliseconds(Burnt);
                });
            });
            web.MapGet("/worker", () => { Burn.Milliseconds(4 * Burnt); }).RequireCpuWorker();
        });
        Dictionary<string, double> before = await ReadAsync(app);
        await app.Client.GetStringAsync("/work");
        await app.Client.GetStringAsync("/worker");
        await app.GetCountsAsync(2);
        await background;
        Dictionary<string, double> requests = await ReadAsync(app);
        using (ExecutionContext.SuppressFlow())
        {
            background = app.Services.GetRequiredService<CpuWorkers>().Pool.RunAsync(_ => { Burn.Milliseconds(3 * Burnt); });
        }

        await background;
        Dictionary<string, double> workers = await ReadAsync(app);

        (requests["work"] - before["work"]).Should().BeInRange(Burnt / 1e3, 2 * Burnt / 1e3);
        (requests["after_response"] - before["after_response"]).Should().BeInRange(Burnt / 1e3, 2 * Burnt / 1e3);
        (requests["requests"] - before["requests"]).Should().BeGreaterThanOrEqualTo(4 * Burnt / 1e3);
        if (OperatingSystem.IsLinux())
        {
            (requests["cpu_workers"] - before["cpu_workers"]).Should().BeLessThan(2 * Burnt / 1e3, "the request includes its time on the worker");
            (workers["cpu_workers"] - requests["cpu_workers"]).Should().BeGreaterThanOrEqualTo(3 * Burnt / 1e3);
        }
    }

    [FactNeeding(Need.Linux)]
    public async Task Threads_outside_flows_are_attributed_by_their_names()
    {
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapPicollo().AllowAnonymous());
        Dictionary<string, double> before = await ReadAsync(app);
        TaskCompletionSource pooled = new();
        ThreadPool.UnsafeQueueUserWorkItem(
            _ =>
            {
                Burn.Milliseconds(Burnt);
                pooled.SetResult();
            },
            null);
        await pooled.Task;
        Thread thread = new(() => Burn.Milliseconds(Burnt));
        thread.UnsafeStart();
        thread.Join();
        Dictionary<string, double> after = await ReadAsync(app);

        (after["thread_pool"] - before["thread_pool"]).Should().BeGreaterThanOrEqualTo(Burnt / 1e3);
        (after["rest"] - before["rest"]).Should().BeGreaterThanOrEqualTo((Burnt / 1e3) - Skew + 0.02, "a thread without a known name has used CPU time and ended");
    }

    [Fact]
    public async Task Page_JSON_and_exposition_show_every_part()
    {
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapPicollo().AllowAnonymous());
        string page = await app.Client.GetStringAsync("/picollo"), exposition = await app.Client.GetStringAsync("/picollo/metrics");
        Dictionary<string, double> parts = await ReadAsync(app);

        parts.Keys.Should().OnlyContain(part => exposition.Contains($"picollo_process_cpu_seconds_total{{part=\"{part}\"}} "));
        exposition.Should().Contain("# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total ");
        Lines(exposition, "process_cpu_seconds_total ").Should().BeApproximately(Lines(exposition, "picollo_process_cpu_seconds_total{"), 1e-6);
        page.Should().Contain("CPU time of the process").And.Contain("<th scope=\"row\">Garbage collector</th>").And.Contain("<th scope=\"row\">Rest</th>");

        static double Lines(string exposition, string start) => exposition.Split('\n')
            .Where(line => line.StartsWith(start, StringComparison.Ordinal))
            .Sum(line => double.Parse(line.Split(' ')[^1], CultureInfo.InvariantCulture));
    }

    private static async Task<Dictionary<string, double>> ReadAsync(RequestApp app) => JsonDocument
        .Parse(await app.Client.GetStringAsync("/picollo/json")).RootElement.GetProperty("processCpu").EnumerateArray()
        .ToDictionary(part => part.GetProperty("name").GetString()!, part => part.GetProperty("secondsTotal").GetDouble());
}
