using System.Collections.Concurrent;

namespace Picollo.Scheduling.Tests.Blocked;

/// <summary>Bodies that block their workers. Each of these tests hung when a blocked worker counted as a running one.</summary>
public class BlockedTests
{
    private const int Extra = 16;

    private static CpuTaskContext? _maker;

    [Theory]
    [InlineData(1, 2, Extra)]
    [InlineData(4, 8, Extra)]
    [InlineData(1, 3, 0)]
    public async Task A_lock_can_be_held_across_checkpoints(int workers, int bodies, int extraThreads)
    {
        await using CpuWorkerPool pool = Create(workers, extraThreads);
        var gate = new object();
        int inside = 0, most = 0;

        await Task.WhenAll(Enumerable.Range(0, bodies).Select(_ => pool.RunAsync(cpu =>
        {
            lock (gate)
            {
                for (int i = 0; i < 5; i++)
                {
                    most = Math.Max(most, ++inside);
                    Pools.Spin(TimeSpan.FromMilliseconds(1));
                    cpu.Checkpoint();
                    inside--;
                }
            }
        }))).Soon();

        most.Should().Be(1);
    }

    [FactNeeding(Need.Linux)]
    public async Task A_static_constructor_can_call_checkpoints()
    {
        await using CpuWorkerPool pool = Create();

        int[] values = await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => pool.RunAsync(cpu =>
        {
            _maker ??= cpu;
            return Initialized.Value;
        }))).Soon();

        values.Should().Equal(7, 7, 7);
    }

    [Fact]
    public async Task Any_number_of_bodies_can_block_on_a_task_each()
    {
        await using CpuWorkerPool pool = Create(extraThreads: 0);

        int[] results = await Task.WhenAll(Enumerable.Range(0, 30).Select(i => pool.RunAsync(_ => pool.RunAsync(_ => i).Result))).Soon();

        results.Should().Equal(Enumerable.Range(0, 30), "tasks that blocked bodies wait for run before other bodies that would also block");
    }

    [Fact]
    public async Task A_body_can_block_on_its_own_async_methods()
    {
        await using CpuWorkerPool pool = Create();

        int[] threads = await pool.RunAsync(_ =>
        {
            Task<int> part = Part();
            part.Wait();
            return new[] { Environment.CurrentManagedThreadId, part.Result };
        }).Soon();

        threads.Should().OnlyHaveUniqueItems("continuations of a blocked body run in the thread pool");

        static async Task<int> Part()
        {
            for (int i = 0; i < 3; i++)
            {
                await Task.Delay(1);
            }

            return Environment.CurrentManagedThreadId;
        }
    }

    [Fact]
    public async Task A_blocked_body_is_reported_and_the_worker_count_is_restored_when_it_continues()
    {
        await using CpuWorkerPool pool = Create();
        using var release = new ManualResetEventSlim();
        var reported = new ConcurrentQueue<(object? Sender, string Task)>();
        pool.WorkerBlocked += (sender, task) => reported.Enqueue((sender, task.Name));
        bool isDone = false;
        var running = new ConcurrencyCounter();

        Task blocked = pool.RunAsync(
            async cpu =>
            {
                release.Wait();
                await Burn(cpu);
            },
            new CpuTaskOptions { Name = "blocks" });
        Task[] others = [.. Enumerable.Range(0, 3).Select(_ => pool.RunAsync(Burn))];
        await Pools.Until(() => pool.Statistics is { BlockedCount: 1, ExtraThreadCount: 1 } && !reported.IsEmpty);
        reported.Should().Contain((pool, "blocks"));
        release.Set();
        await Pools.Until(() => pool.Statistics is { BlockedCount: 0, ExtraThreadCount: 0 });

        // On a busy machine, another thread may look blocked for a moment, so this waits for a time in which one body ran.
        await Pools.Until(() =>
        {
            Volatile.Write(ref running, new ConcurrencyCounter());
            Thread.Sleep(20);
            return running.Max == 1;
        });
        Volatile.Write(ref isDone, true);
        await Task.WhenAll([blocked, .. others]).Soon();

        async Task Burn(CpuTaskContext cpu)
        {
            while (!Volatile.Read(ref isDone))
            {
                ConcurrencyCounter now = Volatile.Read(ref running);
                now.Enter();
                Pools.Spin(TimeSpan.FromMilliseconds(0.1));
                now.Leave();
                await cpu.CheckpointAsync();
            }
        }
    }

    [Fact]
    public async Task A_surplus_body_yields_even_if_no_task_waits()
    {
        await using CpuWorkerPool pool = Create();
        using var release = new ManualResetEventSlim();

        await Task.WhenAll(pool.RunAsync(cpu => Body(cpu, release.Wait)), pool.RunAsync(cpu => Body(cpu, release.Set))).Soon();

        void Body(CpuTaskContext cpu, Action start)
        {
            for (start(); pool.Statistics.ExtraThreadCount > 0;)
            {
                cpu.Checkpoint();
            }
        }
    }

    [Fact]
    public async Task A_blocked_body_is_detected_during_a_long_slice()
    {
        await using CpuWorkerPool pool = Pools.Create(extraThreads: Extra);

        await Rounds().Soon();

        async Task Rounds()
        {
            for (int round = 0; round < 7; round++)
            {
                await pool.RunAsync(_ => pool.RunAsync(_ => { }).Wait());
            }
        }
    }

    [Fact]
    public async Task The_number_of_extra_threads_is_limited()
    {
        await using CpuWorkerPool pool = Create(extraThreads: 3);
        using var release = new ManualResetEventSlim();

        Task[] blocked = [.. Enumerable.Range(0, 10).Select(_ => pool.RunAsync(_ => release.Wait()))];
        await Pools.Until(() => pool.Statistics is { BlockedCount: 4, WaitingCount: 6 });
        await Task.Delay(100);

        (pool.Statistics.ExtraThreadCount, pool.Statistics.GetRunningTasks().Count).Should().Be((3, 4));
        release.Set();
        await Task.WhenAll(blocked).Soon();
        await Pools.Until(() => pool.Statistics is { BlockedCount: 0, ExtraThreadCount: 0 });
    }

    [Fact]
    public async Task If_no_thread_can_be_started_only_the_blocked_worker_is_lost()
    {
        int asked = 0;

        // The timer and one worker.
        (CpuWorkerPool pool, _) = Pools.CreateWithThreads(1, () => Interlocked.Increment(ref asked) > 2 ? 0 : int.MaxValue);
        Held blocked = Held.Worker(pool);
        Task waiting = pool.RunAsync(_ => { });

        await Pools.Until(() => Volatile.Read(ref asked) > 4);
        pool.Statistics.ExtraThreadCount.Should().Be(0);

        await blocked.Release();
        await waiting.Soon();
        await pool.DisposeAsync();
    }

    private static CpuWorkerPool Create(int workers = 1, int extraThreads = Extra) =>
        Pools.Create(workers, Pools.Short, extraThreads);

    private static class Initialized
    {
        public static readonly int Value = Make();

        private static int Make()
        {
            for (int i = 0; i < 5; i++)
            {
                Pools.Spin(TimeSpan.FromMilliseconds(1));
                _maker!.Value.Checkpoint();
            }

            return 7;
        }
    }
}
