using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.SignalR.Client;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that named work that throws is counted as failed or canceled.</summary>
public class WorkFailureTests
{
    [Fact]
    public async Task Work_that_throws_has_failed_or_is_canceled()
    {
        WorkMeter meter = NewMeter();
        await RunAsync(meter, "failed", () => throw new InvalidOperationException());
        await RunAsync(meter, "failed", () => Task.FromException(new InvalidOperationException()));
        await RunAsync(meter, "failed", async () =>
        {
            await Task.Yield();
            throw new InvalidOperationException();
        });
        await RunAsync(meter, "failed", () => throw new TaskCanceledException("as of HttpClient", new TimeoutException()));
        await RunAsync(meter, "failed", () => RunAsync(meter, "inner", () => throw new InvalidOperationException(), isCaught: false));
        await RunAsync(meter, "canceled", () => Task.FromCanceled(new CancellationToken(canceled: true)));
        await RunAsync(meter, "canceled", () => throw new OperationCanceledException());
        await RunAsync(meter, "completed", () => Task.CompletedTask);
        await RunAsync(meter, "completed", () => Task.Delay(1));

        ResultsOf(meter, "failed").Should().Be((0, 5, 0));
        ResultsOf(meter, "inner").Should().Be((0, 1, 0));
        ResultsOf(meter, "canceled").Should().Be((0, 0, 2));
        ResultsOf(meter, "completed").Should().Be((2, 0, 0));
    }

    [Fact]
    public async Task Only_exceptions_that_leave_the_work_are_failures()
    {
        WorkMeter meter = NewMeter();
        await RunAsync(meter, "work", async () =>
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
            await RunAsync(meter, "work", () =>
            {
                Swallow();
                return Task.CompletedTask;
            });
            await RunAsync(meter, "work", () => throw new InvalidOperationException());
            await RunAsync(meter, "work", () => Task.Delay(1));
        }

        ResultsOf(meter, "work").Should().Be((3, 1, 0));

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
    public void Work_that_catches_its_exception_can_report_it()
    {
        WorkMeter meter = NewMeter();
        foreach (Exception failure in new Exception[] { new InvalidOperationException(), new OperationCanceledException() })
        {
            using MeasuredWork run = meter.Measure("work");
            run.Fail(failure);
            run.Invoking(one => one.Fail(null!)).Should().Throw<ArgumentNullException>();
        }

        ResultsOf(meter, "work").Should().Be((0, 1, 1));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Hub_methods_that_throw_have_failed()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapHub<FailingHub>("/hub"),
            build: builder =>
            {
                builder.Services.AddSignalR();
                builder.Services.AddPicollo().AddPicolloHubMethods();
            });
        HubConnection connection = new HubConnectionBuilder().WithUrl(new Uri(app.Address, "/hub")).Build();
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

        ResultsOf(app.Services.GetRequiredService<WorkMeter>(), "FailingHub.Run").Should().Be((2, 3, 1));
    }

    private static WorkMeter NewMeter() =>
        new ServiceCollection().AddLogging().AddPicollo().BuildServiceProvider().GetRequiredService<WorkMeter>();

    private static async Task RunAsync(WorkMeter meter, string name, Func<Task> action, bool isCaught = true)
    {
        try
        {
            using (meter.Measure(name))
            {
                await action();
            }
        }
        catch (Exception) when (isCaught)
        {
            // Counted.
        }
    }

    private static (long Completed, long Failed, long Canceled) ResultsOf(WorkMeter meter, string name)
    {
        WorkRow row = meter.All.Single(one => one.Name == name);
        (long completed, long failed, long canceled) = (row[WorkResult.Completed], row[WorkResult.Failed], row[WorkResult.Canceled]);
        row.HistogramOf(RunFact.CpuTime)!.TotalCount.Should().Be((ulong)(completed + failed + canceled));
        return (completed, failed, canceled);
    }

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
