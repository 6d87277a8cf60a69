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

    private static readonly TimeSpan Time = TimeSpan.FromMilliseconds(Milliseconds);

    // Some file systems have no disk, the duration of a collection depends on the heap of this process, and on a busy machine, the other
    // waits are over while the thread still yields and does not wait yet.
    private static readonly string[] Omitted =
    [
        "file, written to the disk", "computes next to collections", "stopped by collections",
        "lock of an object", "Lock", "Task.Wait", "SemaphoreSlim.Wait", "ReaderWriterLockSlim",
    ];

    [FactNeeding(Need.Linux)]
    public async Task The_largest_state_of_a_route_is_its_cause_and_all_add_up_to_its_duration()
    {
        (KnownWait Wait, Func<IDisposable>? Background)[] all =
        [
            .. KnownWaits.All().Where(known => !Omitted.Contains(known.Wait.Name)),
            (Wait("lock of an object", LatencyState.Lock, () => { HeldLock.WaitFor(Time); return Task.CompletedTask; }), null),
            (Wait("Lock", LatencyState.Lock, () => { WaitForLock(); return Task.CompletedTask; }), null),
            (Wait("pipe", LatencyState.Blocked, () => { ReadFromPipe(); return Task.CompletedTask; }), null),
            (Wait("sync over async", LatencyState.Blocked, () => { WaitForTask(AwaitAsync); return Task.CompletedTask; }), null),
            (Wait("Task.Wait", LatencyState.Blocked, () => { WaitForTask(task => task); return Task.CompletedTask; }), null),
            (Wait("SemaphoreSlim.Wait", LatencyState.Blocked, () => { WaitForSemaphore(); return Task.CompletedTask; }), null),
            (Wait("ReaderWriterLockSlim", LatencyState.Blocked, () => { WaitForWriter(); return Task.CompletedTask; }), null),
            (Wait("parallel", LatencyState.Cpu, () => Task.WhenAll(Task.Run(Spin), Task.Run(Spin))), null),
            (Wait("collections", LatencyState.GarbageCollection, () => { Burn.Milliseconds(5); return Task.CompletedTask; }), () => new KnownWaits.Background(1, GC.Collect)),
            (Wait("starved pool", LatencyState.PoolQueue, YieldAsync), () => new StarvedPool()),
        ];
        all.Length.Should().BeGreaterThan(16);
        await using RequestApp app = await StartAsync(web => all.Index().ToList().ForEach(known => web.MapGet($"/{known.Index}", known.Item.Wait.RunAsync)));
        await ShouldBeInTheirCauses([.. all.Index().Select(known => new Cause(
            known.Item.Wait.Name,
            known.Item.Wait.States,
            () => app.SendAsync($"/{known.Index}"),
            () => app.Routes.All.SingleOrDefault(row => row.Route == $"/{known.Index}"),
            known.Item.Background))]);
    }

    [Fact]
    public async Task The_largest_state_of_a_hub_method_and_of_named_work_is_its_cause()
    {
        await using RequestApp app = await StartAsync(
            web =>
            {
                web.MapHub<CauseHub>("/hub");
                web.MapGet("/delay", async (WorkMeter meter) =>
                {
                    using (meter.Measure("delay"))
                    {
                        await Task.Delay(Milliseconds);
                    }
                });
                web.MapGet("/spin", (WorkMeter meter) =>
                {
                    using (meter.Measure("spin"))
                    {
                        Spin();
                    }
                });
            });
        await using HubConnection connection = new HubConnectionBuilder().WithUrl(new Uri(app.Address, "/hub")).Build();
        await connection.StartAsync();
        WorkMeter work = app.Services.GetRequiredService<WorkMeter>();
        await ShouldBeInTheirCauses(
        [
            Hub(nameof(CauseHub.Spin), LatencyState.Cpu), Hub(nameof(CauseHub.Sleep), LatencyState.Blocked),
            Hub(nameof(CauseHub.Wait), LatencyState.Await), Hub(nameof(CauseHub.Lock), LatencyState.Lock),
            new("delay", [LatencyState.Await, LatencyState.PoolQueue], () => app.SendAsync("/delay"), () => RowOf("delay")),
            new("spin", [LatencyState.Cpu], () => app.SendAsync("/spin"), () => RowOf("spin")),
        ]);

        Cause Hub(string method, LatencyState state) =>
            new(method, [state], () => connection.InvokeAsync(method), () => RowOf($"{nameof(CauseHub)}.{method}"));

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

    /// <summary>Runs everything until its largest state was its cause several times. Other programs can only make it wait for a CPU.</summary>
    private static async Task ShouldBeInTheirCauses(List<Cause> causes)
    {
        for (int round = 0; round < MaxRuns && causes.Count > 0; round++)
        {
            foreach (Cause cause in causes)
            {
                using IDisposable? background = cause.Background?.Invoke();
                await cause.RunAsync();
            }

            foreach (Cause cause in causes)
            {
                await cause.CountAsync(); // later, because the waits for locks are reported late
            }

            causes.RemoveAll(cause => cause.Matches == Runs);
        }

        causes.Select(cause => cause.ToString()).Should().BeEmpty();
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

    private static void WaitForLock()
    {
        Lock gate = new();
        HeldLock.WaitFor(Time, gate.Enter, gate.Exit);
    }

    private static void WaitForSemaphore()
    {
        using SemaphoreSlim semaphore = new(0);
        HeldLock.ReleaseLater(Time, () => semaphore.Release());
        semaphore.Wait();
    }

    private static void WaitForWriter()
    {
        using ReaderWriterLockSlim gate = new();
        HeldLock.WaitFor(Time, gate.EnterWriteLock, gate.ExitWriteLock);
    }

    private static void WaitForTask(Func<Task, Task> waitAsync)
    {
        TaskCompletionSource source = new();
        HeldLock.ReleaseLater(Time, source.SetResult);
        waitAsync(source.Task).Wait();
    }

    private static async Task AwaitAsync(Task task) => await task.ConfigureAwait(false);

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

    private sealed record Cause(string Name, LatencyState[] States, Func<Task> RunAsync, Func<Row?> Find, Func<IDisposable>? Background = null)
    {
        private LatencySums? _before;

        /// <summary>The number of runs that were mostly in one of the states.</summary>
        public int Matches { get; private set; }

        public async Task CountAsync()
        {
            await Eventually.IsTrueAsync(() => Find()?.Latency!.Read().Count == (_before?.Count ?? 0) + 1);
            LatencySums all = Find()!.Latency!.Read(), own = all.Since(_before);
            LatencyStateValues.Disjoint.Sum(state => all.SumOf(state) ?? 0).Should().Be(Find()!.SumOf(RunFact.WallTime));
            LatencyState largest = LatencyStateValues.Disjoint.Where(state => state != LatencyState.RunQueue || States.Contains(state)).MaxBy(state => own.SumOf(state) ?? 0);
            Matches += States.Contains(largest) ? 1 : 0;
            _before = all;
        }

        public override string ToString() =>
            $"{Name}: {Matches}, {string.Join(' ', LatencyStateValues.Disjoint.Select(state => $"{state} {_before?.SumOf(state)}"))}";
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
            for (int i = 0; i < 4 * Math.Max(PoolThreads, Environment.ProcessorCount); i++)
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
