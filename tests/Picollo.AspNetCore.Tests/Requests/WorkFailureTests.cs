using System.Runtime.CompilerServices;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.SignalR.Client;
using Microsoft.Extensions.DependencyInjection;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that named work that throws is counted as failed or canceled.</summary>
public class WorkFailureTests
{
    [Fact]
    public async Task Work_that_throws_has_failed()
    {
        await using RequestApp app = await StartAsync();
        WorkMeter meter = app.Services.GetRequiredService<WorkMeter>();
        RunSynchronously(meter, _ => throw new InvalidOperationException());
        RunSynchronously(meter, _ => { });
        await RunAsync(meter, async () =>
        {
            await Task.Yield();
            throw new InvalidOperationException();
        });
        await RunAsync(meter, () => Task.FromException(new InvalidOperationException()));
        await RunAsync(meter, () => Task.Delay(1));

        await ShouldBe(app, "work", (2, 3, 0));
    }

    [Fact]
    public async Task Work_that_is_canceled_has_not_failed_except_after_a_timeout_of_a_request()
    {
        await using RequestApp app = await StartAsync();
        WorkMeter meter = app.Services.GetRequiredService<WorkMeter>();
        await RunAsync(meter, () => Task.FromCanceled(new CancellationToken(canceled: true)));
        RunSynchronously(meter, _ => throw new OperationCanceledException());

        // The exception of HttpClient after its timeout.
        RunSynchronously(meter, _ => throw new TaskCanceledException("timeout", new TimeoutException()));

        await ShouldBe(app, "work", (0, 1, 2));
    }

    [Fact]
    public async Task Only_exceptions_that_leave_the_work_are_failures()
    {
        await using RequestApp app = await StartAsync();
        WorkMeter meter = app.Services.GetRequiredService<WorkMeter>();
        RunSynchronously(meter, _ => Swallow());
        await RunAsync(meter, async () =>
        {
            Swallow();
            await Task.Yield();
            Swallow();
        });

        // An exception that was thrown before the work starts is still being handled when the work ends.
        try
        {
            throw new InvalidOperationException();
        }
        catch (InvalidOperationException)
        {
            RunSynchronously(meter, _ => Swallow());
            RunSynchronously(meter, _ => throw new InvalidOperationException());
            await RunAsync(meter, () => Task.Delay(1));
        }

        await ShouldBe(app, "work", (4, 1, 0));

        static void Swallow()
        {
            try
            {
                throw new InvalidOperationException();
            }
            catch (InvalidOperationException)
            {
                // The work continues.
            }
        }
    }

    [Fact]
    public async Task Work_that_catches_its_exception_can_report_it()
    {
        await using RequestApp app = await StartAsync();
        WorkMeter meter = app.Services.GetRequiredService<WorkMeter>();
        foreach (Exception failure in new Exception[] { new InvalidOperationException(), new OperationCanceledException() })
        {
            using MeasuredWork run = meter.Measure("work");
            run.Fail(failure);
            run.Invoking(one => one.Fail(null!)).Should().Throw<ArgumentNullException>();
        }

        await ShouldBe(app, "work", (0, 1, 1));
    }

    [Fact]
    public async Task An_exception_that_leaves_nested_work_fails_both()
    {
        await using RequestApp app = await StartAsync();
        WorkMeter meter = app.Services.GetRequiredService<WorkMeter>();
        RunSynchronously(meter, _ =>
        {
            using (meter.Measure("inner"))
            {
                throw new InvalidOperationException();
            }
        });

        await ShouldBe(app, "work", (0, 1, 0));
        await ShouldBe(app, "inner", (0, 1, 0));
    }

    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(HttpTransportType.WebSockets)]
    [InlineData(HttpTransportType.LongPolling)]
    public async Task Hub_methods_that_throw_have_failed(HttpTransportType transport)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.MapHub<FailingHub>("/hub");
                web.MapPicollo().AllowAnonymous();
            },
            build: builder =>
            {
                builder.Services.AddSignalR();
                builder.Services.AddPicollo().AddPicolloHubMethods();
            });
        HubConnection connection = new HubConnectionBuilder().WithUrl(new Uri(app.Address, "/hub"), transport).Build();
        await connection.StartAsync();
        foreach (string kind in new[] { "ok", "ok in a handler", "throw", "throw later", "cancel", "hub exception" })
        {
            try
            {
                await connection.InvokeAsync(nameof(FailingHub.Run), kind);
            }
            catch (HubException)
            {
                kind.Should().NotStartWith("ok");
            }
        }

        await connection.StopAsync();
        await connection.DisposeAsync();

        await ShouldBe(app, "FailingHub.Run", (2, 3, 1));
    }

    private static void RunSynchronously(WorkMeter meter, Action<WorkMeter> action)
    {
        try
        {
            using (meter.Measure("work"))
            {
                action(meter);
            }
        }
        catch (Exception)
        {
            // Counted.
        }
    }

    private static async Task RunAsync(WorkMeter meter, Func<Task> action)
    {
        try
        {
            using (meter.Measure("work"))
            {
                await action();
            }
        }
        catch (Exception)
        {
            // Counted.
        }
    }

    private static async Task ShouldBe(RequestApp app, string name, (int Completed, int Failed, int Canceled) expected)
    {
        (int completed, int failed, int canceled) = expected;
        using JsonDocument json = JsonDocument.Parse(await app.Client.GetStringAsync("/picollo/json"));
        JsonElement row = json.RootElement.GetProperty("work").EnumerateArray().Single(one => one.GetProperty("name").GetString() == name);
        row.GetProperty("count").GetInt32().Should().Be(completed + failed + canceled);
        row.GetProperty("results").GetRawText().Should().Be($$"""{"completed":{{completed}},"failed":{{failed}},"canceled":{{canceled}}}""");
        string metrics = await app.Client.GetStringAsync("/picollo/metrics");
        foreach ((string result, int count) in new[] { ("completed", completed), ("failed", failed), ("canceled", canceled) })
        {
            metrics.Should().Contain($"picollo_work_runs_total{{result=\"{result}\",work=\"{name}\"}} {count}\n");
        }

        string text = string.Join(", ", new[] { (failed, "failed"), (canceled, "canceled") }.Where(one => one.Item1 > 0).Select(one => $"{one.Item1} {one.Item2}"));
        (await app.Client.GetStringAsync("/picollo")).Should().Contain($"<small> {text}</small>");
    }

    private static Task<RequestApp> StartAsync() => RequestApp.StartAsync(web => web.MapPicollo().AllowAnonymous());

    /// <summary>An awaitable that calls the continuation in the handler of an exception.</summary>
    private sealed class CallInHandler : INotifyCompletion
    {
        public bool IsCompleted => false;

        public CallInHandler GetAwaiter() => this;

        public void GetResult()
        {
        }

        public void OnCompleted(Action continuation) => new Thread(() =>
        {
            try
            {
                throw new InvalidOperationException();
            }
            catch (InvalidOperationException)
            {
                continuation();
            }
        }).Start();
    }

    private sealed class FailingHub : Hub
    {
        public async Task Run(string kind)
        {
            switch (kind)
            {
                case "ok in a handler":
                    await new CallInHandler();
                    break;
                case "throw":
                    throw new InvalidOperationException(Context.ConnectionId);
                case "throw later":
                    await Task.Yield();
                    throw new InvalidOperationException();
                case "cancel":
                    throw new OperationCanceledException();
                case "hub exception":
                    throw new HubException("refused");
            }
        }
    }
}
