using System.IO.Pipes;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.SignalR.Client;
using Picollo.AspNetCore.Tests.Requests;
using Picollo.Benchmarks.Latency;

namespace Picollo.AspNetCore.Tests.Latency;

/// <summary>Tests that the largest state of requests, named work and hub methods is their cause.</summary>
[Collection(Alone.Name)] // some of them use all processors or all threads of the pool
[Trait("Category", "Slow")]
public class KnownCauseTests
{
    private const int Runs = 3;
    private const int MaxRuns = 20; // on a busy machine, a thread can lose its CPU before it waits or leaves the flow
    private const int PoolThreads = 4;
    private const int Milliseconds = 20;

    // Some file systems have no disk, and the duration of a collection depends on the heap of this process.
    private static readonly string[] Omitted = ["file, written to the disk", "computes next to collections", "stopped by collections"];

    [FactNeeding(Need.Linux)]
    public async Task The_largest_state_of_a_route_is_its_cause_and_all_add_up_to_its_duration()
    {
        (KnownWait Wait, Func<IDisposable>? Background)[] all =
        [
            .. KnownWaits.All().Where(known => !Omitted.Contains(known.Wait.Name)),
            (Wait("pipe", LatencyState.Blocked, () => { ReadFromPipe(); return Task.CompletedTask; }), null),
            (Wait("sync over async", LatencyState.Blocked, () => { SlowServer.GetAsync().Wait(); return Task.CompletedTask; }), null),
            (Wait("parallel", LatencyState.Cpu, () => Task.WhenAll(Task.Run(Spin), Task.Run(Spin))), null),
            (Wait("collections", LatencyState.GarbageCollection, () => { Burn.Milliseconds(5); return Task.CompletedTask; }), () => new KnownWaits.Background(1, GC.Collect)),
            (Wait("starved pool", LatencyState.PoolQueue, YieldAsync), () => new StarvedPool()),
        ];
        all.Length.Should().BeGreaterThan(16);
        await using RequestApp app = await StartAsync(web => all.Index().ToList().ForEach(known => web.MapGet($"/{known.Index}", known.Item.Wait.RunAsync)));
        List<string> failures = [];
        foreach (var (i, (wait, startBackground)) in all.Index())
        {
            using IDisposable? background = startBackground?.Invoke();
            failures.AddRange(await FailureOf(wait.Name, wait.States, () => app.SendAsync($"/{i}"), () => app.Routes.All.SingleOrDefault(row => row.Route == $"/{i}")));
        }

        failures.Should().BeEmpty();
    }

    [Fact]
    public async Task The_largest_state_of_a_hub_method_and_of_named_work_is_its_cause()
    {
        await using RequestApp app = await StartAsync(
            web =>
            {
                web.MapHub<CauseHub>("/hub");
                web.MapGet("/work", async (WorkMeter meter) =>
                {
                    using (meter.Measure("delay"))
                    {
                        await Task.Delay(Milliseconds);
                    }

                    using (meter.Measure("spin"))
                    {
                        Spin();
                    }
                });
            });
        await using HubConnection connection = new HubConnectionBuilder().WithUrl(new Uri(app.Address, "/hub")).Build();
        await connection.StartAsync();
        WorkMeter work = app.Services.GetRequiredService<WorkMeter>();
        List<string> failures = [];
        foreach ((string method, LatencyState cause) in ((string, LatencyState)[])
            [(nameof(CauseHub.Spin), LatencyState.Cpu), (nameof(CauseHub.Sleep), LatencyState.Blocked), (nameof(CauseHub.Wait), LatencyState.Await), (nameof(CauseHub.Lock), LatencyState.Lock)])
        {
            failures.AddRange(await FailureOf(method, [cause], () => connection.InvokeAsync(method), () => RowOf($"{nameof(CauseHub)}.{method}")));
        }

        failures.AddRange(await FailureOf("delay", [LatencyState.Await, LatencyState.PoolQueue], () => app.SendAsync("/work"), () => RowOf("delay")));
        failures.AddRange(await FailureOf("spin", [LatencyState.Cpu], () => app.SendAsync("/work"), () => RowOf("spin")));
        failures.Should().BeEmpty();
        app.Routes.All.Single(row => row.Route == "/work").Latency!.Read().SumOf(LatencyState.Cpu).Should().BePositive();

        Row? RowOf(string name) => work.All.SingleOrDefault(row => row.Name == name);
    }

    [Fact]
    public async Task The_page_states_why_the_run_queue_is_absent()
    {
        await using RequestApp app = await StartAsync(web =>
        {
            web.MapPicollo().AllowAnonymous();
            web.MapGet("/x", () => Thread.Sleep(1));
        });
        LatencySources.RunQueueFailure = "It has no file.";
        await app.SendAsync("/x");
        await Eventually.IsTrueAsync(() => app.Routes.All.SingleOrDefault()?.Latency!.Read().Count == 1);

        (await app.Client.GetStringAsync("/picollo")).Should().Contain("The wait for a CPU is not measured separately. It has no file.").And.NotContain("run queue 0");
        (await app.Client.GetStringAsync("/picollo/metrics")).Should().Contain("state=\"blocked\"").And.NotContain("state=\"run_queue\"");
    }

    /// <summary>Runs something until its largest state is the cause. Other programs can only make it wait for a CPU. Returns the failure, if
    /// any.</summary>
    private static async Task<string[]> FailureOf(string name, LatencyState[] causes, Func<Task> runAsync, Func<Row?> find)
    {
        long before = find()?.Latency!.Read().Count ?? 0;
        for (int run = 1; ; run++)
        {
            await runAsync();
            await Eventually.IsTrueAsync(() => find()?.Latency!.Read().Count == before + run);
            Row row = find()!;
            LatencySums sums = row.Latency!.Read();
            LatencyStateValues.Disjoint.Sum(state => sums.SumOf(state) ?? 0).Should().Be(row.SumOf(RunFact.WallTime));
            LatencyState largest = LatencyStateValues.Disjoint.Where(state => state != LatencyState.RunQueue || causes.Contains(state)).MaxBy(state => sums.SumOf(state) ?? 0);
            if (run >= Runs && (causes.Contains(largest) || run == MaxRuns))
            {
                return causes.Contains(largest) ? []
                    : [$"{name}: {string.Join(' ', LatencyStateValues.Disjoint.Select(state => $"{state} {sums.SumOf(state)}"))}"];
            }
        }
    }

    private static Task<RequestApp> StartAsync(Action<WebApplication> map) => RequestApp.StartAsync(
        map,
        options => (options.Requests.LatencyBreakdown, options.MeasureRuntime) = (true, true),
        builder =>
        {
            builder.Services.AddSignalR();
            builder.Services.AddPicolloHubMethods();
        });

    private static KnownWait Wait(string name, LatencyState state, Func<Task> runAsync) => new(name, [state], async () =>
    {
        await runAsync();
        return 0;
    });

    private static void Spin() => Burn.Milliseconds(Milliseconds);

    private static async Task YieldAsync()
    {
        for (int i = 0; i < 3; i++)
        {
            await Task.Yield();
        }
    }

    private static void ReadFromPipe()
    {
        using AnonymousPipeServerStream reader = new(PipeDirection.In);
        using AnonymousPipeClientStream writer = new(PipeDirection.Out, reader.ClientSafePipeHandle);
        Thread later = new(() =>
        {
            Thread.Sleep(Milliseconds);
            writer.WriteByte(1);
        });
        later.UnsafeStart();
        reader.ReadByte();
        later.Join();
    }

    /// <summary>Keeps all threads of a pool that cannot grow busy, and more work in its queue.</summary>
    private sealed class StarvedPool : IDisposable
    {
        private readonly (int Workers, int Completions) _before;
        private volatile bool _isOver;

        public StarvedPool()
        {
            ThreadPool.GetMaxThreads(out _before.Workers, out _before.Completions);
            ThreadPool.SetMaxThreads(Math.Max(PoolThreads, Environment.ProcessorCount), _before.Completions).Should().BeTrue();
            for (int i = 0; i < 10 * Math.Max(PoolThreads, Environment.ProcessorCount); i++)
            {
                ThreadPool.UnsafeQueueUserWorkItem(KeepBusy, null);
            }
        }

        public void Dispose()
        {
            _isOver = true;
            ThreadPool.SetMaxThreads(_before.Workers, _before.Completions);
        }

        private void KeepBusy(object? state)
        {
            Thread.Sleep(3);
            if (!_isOver)
            {
                ThreadPool.UnsafeQueueUserWorkItem(KeepBusy, null);
            }
        }
    }
}

/// <summary>A hub with a method for each cause.</summary>
internal sealed class CauseHub : Hub
{
    private TimeSpan Time => TimeSpan.FromMilliseconds(Context.ConnectionId.Length > 0 ? 20 : 0);

    public void Spin() => Burn.Milliseconds(Time.TotalMilliseconds);

    public void Sleep() => Thread.Sleep(Time);

    public Task Wait() => Task.Delay(Time);

    public void Lock() => HeldLock.WaitFor(Time);
}
