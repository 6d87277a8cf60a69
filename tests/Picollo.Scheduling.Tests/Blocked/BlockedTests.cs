using System.Collections.Concurrent;

namespace Picollo.Scheduling.Tests.Blocked;

/// <summary>Bodies that block their workers. Each of these tests hung when a blocked worker counted as a running one.</summary>
public class BlockedTests
{
    private const int Extra = 16;

    [Theory]
    [InlineData(1, 2)]
    [InlineData(4, 8)]
    public async Task A_lock_can_be_held_across_checkpoints(int workers, int bodies)
    {
        await using CpuWorkerPool pool = Create(workers);
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

    [Fact]
    public async Task The_factory_of_a_lazy_value_can_call_checkpoints()
    {
        await using CpuWorkerPool pool = Create();
        CpuTaskContext maker = default;
        var lazy = new Lazy<int>(() =>
        {
            for (int i = 0; i < 5; i++)
            {
                Pools.Spin(TimeSpan.FromMilliseconds(1));
                maker.Checkpoint();
            }

            return 7;
        });

        int[] values = await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => pool.RunAsync(cpu =>
        {
            if (maker == CpuTaskContext.None)
            {
                maker = cpu;
            }

            return lazy.Value;
        }))).Soon();

        values.Should().Equal(7, 7, 7);
    }

    /// <summary>The runtime makes the second thread wait in native code.</summary>
    [FactNeeding(Need.Linux)]
    public async Task A_static_constructor_can_call_checkpoints()
    {
        await using CpuWorkerPool pool = Create();

        int[] values = await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => pool.RunAsync(cpu =>
        {
            Slow.Maker ??= cpu;
            return Initialized.Value;
        }))).Soon();

        values.Should().Equal(7, 7, 7);
    }

    [Fact]
    public async Task A_body_can_block_on_a_task_of_its_pool()
    {
        await using CpuWorkerPool pool = Create();

        int depth = await pool.RunAsync(_ => Nest(8)).Soon();

        depth.Should().Be(8);

        int Nest(int left) => left == 0 ? 0 : 1 + pool.RunAsync(_ => Nest(left - 1)).Result;
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
    public async Task Stopped_bodies_continue_without_extra_threads()
    {
        await using CpuWorkerPool pool = Create(extraThreads: 0);
        var gate = new object();

        await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => pool.RunAsync(cpu =>
        {
            lock (gate)
            {
                for (int i = 0; i < 5; i++)
                {
                    Pools.Spin(TimeSpan.FromMilliseconds(1));
                    cpu.Checkpoint();
                }
            }
        }))).Soon();
    }

    [Fact]
    public async Task A_blocked_body_is_reported_and_the_worker_count_is_restored_when_it_continues()
    {
        await using CpuWorkerPool pool = Create();
        using var release = new ManualResetEventSlim();
        var named = new ConcurrentQueue<(object?, CpuRunningTask)>();
        pool.WorkerBlocked += (sender, task) => named.Enqueue((sender, task));
        bool isDone = false;
        int running = 0, most = 0;

        Task blocked = pool.RunAsync(
            async cpu =>
            {
                release.Wait();
                await Burn(cpu);
            },
            new CpuTaskOptions { Name = "blocks" });
        Task[] others = [.. Enumerable.Range(0, 3).Select(_ => pool.RunAsync(Burn))];
        await Pools.Until(() => pool.Statistics is { BlockedCount: 1, ExtraThreadCount: 1 } && !named.IsEmpty);
        release.Set();
        await Pools.Until(() => pool.Statistics is { BlockedCount: 0, ExtraThreadCount: 0 });
        most = 0;
        await Pools.Until(() => most > 0);
        await Task.Delay(50);
        Volatile.Write(ref isDone, true);
        await Task.WhenAll([blocked, .. others]).Soon();

        most.Should().Be(1);
        named.Should().ContainSingle();
        named.TryPeek(out (object? Sender, CpuRunningTask Task) one).Should().BeTrue();
        one.Sender.Should().BeSameAs(pool);
        one.Task.Name.Should().Be("blocks");

        async Task Burn(CpuTaskContext cpu)
        {
            while (!Volatile.Read(ref isDone))
            {
                most = Math.Max(most, Interlocked.Increment(ref running));
                Pools.Spin(TimeSpan.FromMilliseconds(0.1));
                Interlocked.Decrement(ref running);
                await cpu.CheckpointAsync();
            }
        }
    }

    /// <summary>No task waits, so no slice ends.</summary>
    [Fact]
    public async Task A_surplus_body_yields_even_if_no_task_waits()
    {
        await using CpuWorkerPool pool = Create();
        using var release = new ManualResetEventSlim();

        Task[] both =
        [
            pool.RunAsync(cpu =>
            {
                release.Wait();
                CheckpointUntilNoThreadIsExtra(cpu);
            }),
            pool.RunAsync(cpu =>
            {
                release.Set();
                CheckpointUntilNoThreadIsExtra(cpu);
            }),
        ];

        await Task.WhenAll(both).Soon();

        void CheckpointUntilNoThreadIsExtra(CpuTaskContext cpu)
        {
            while (pool.Statistics.ExtraThreadCount > 0)
            {
                cpu.Checkpoint();
            }
        }
    }

    /// <summary>Each wait is detected long before the slice ends: the test does not wait as long as seven slices.</summary>
    [Fact]
    public async Task A_blocked_body_is_detected_during_a_long_slice()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: TimeSpan.FromSeconds(10), extraThreads: Extra);

        Task<int> rounds = Rounds();
        (await rounds.Soon()).Should().Be(7);

        async Task<int> Rounds()
        {
            int round = 0;
            for (; round < 7; round++)
            {
                await pool.RunAsync(_ => pool.RunAsync(_ => { }).Wait());
            }

            return round;
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
    public async Task A_body_can_block_unnoticed_while_no_task_waits()
    {
        await using CpuWorkerPool pool = Create();
        using var release = new ManualResetEventSlim();
        Task blocked = pool.RunAsync(_ => release.Wait());

        await Task.Delay(200);

        pool.Statistics.BlockedCount.Should().Be(0);
        release.Set();
        await blocked.Soon();
    }

    [Fact]
    public async Task If_no_thread_can_be_started_only_the_blocked_worker_is_lost()
    {
        int started = 0;
        var options = new CpuWorkerPoolOptions
        {
            WorkerCount = 1,
            StartThread = thread =>
            {
                if (Interlocked.Increment(ref started) > 2) // the timer and one worker
                {
                    throw new OutOfMemoryException();
                }

                thread.UnsafeStart();
            },
        };
        await using CpuWorkerPool pool = new(options);
        using var release = new ManualResetEventSlim();
        Task blocked = pool.RunAsync(_ => release.Wait());
        Task waiting = pool.RunAsync(_ => { });

        await Pools.Until(() => Volatile.Read(ref started) > 4);
        pool.Statistics.ExtraThreadCount.Should().Be(0);
        release.Set();

        await Task.WhenAll(blocked, waiting).Soon();
    }

    /// <summary>Bodies lock, wait, sleep and call checkpoints at random, and start other bodies. No task is lost, and the pool returns to its
    /// initial state.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [Trait("Category", "Slow")]
    public async Task Bodies_that_block_in_various_ways_all_end(int workers)
    {
        await using CpuWorkerPool pool = Create(workers, extraThreads: 16);
        object[] gates = [new(), new(), new()];
        int ended = 0;
        const int tasks = 150;

        Task[] all = [.. Enumerable.Range(0, tasks).Select(i => pool.RunAsync(cpu => Body(cpu, new Random(i), depth: 2)))];
        await Task.WhenAll(all).Soon();

        ended.Should().BeGreaterThanOrEqualTo(tasks);
        await Pools.Until(() => pool.Statistics is { BlockedCount: 0, ExtraThreadCount: 0, WaitingCount: 0 });
        pool.Statistics.CompletedCount.Should().Be(pool.Statistics.SubmittedCount).And.Be(ended);

        async Task Body(CpuTaskContext cpu, Random random, int depth)
        {
            for (int step = 0; step < 4; step++)
            {
                switch (random.Next(7))
                {
                    case 0:
                        lock (gates[random.Next(gates.Length)]) // never two locks, with which the bodies could deadlock each other
                        {
                            Pools.Spin(TimeSpan.FromMilliseconds(random.NextDouble()));
                            cpu.Checkpoint();
                        }

                        break;
                    case 1: Thread.Sleep(random.Next(3)); break;
                    case 2: await Task.Delay(random.Next(3)); break;
                    case 3: await Task.Delay(random.Next(3)).ConfigureAwait(false); break;
                    case 4 when depth > 0: pool.RunAsync(inner => Body(inner, new Random(step), depth - 1)).Wait(); break;
                    case 5 when depth > 0: await pool.RunAsync(inner => Body(inner, new Random(step), depth - 1)); break;
                    default: Pools.Spin(TimeSpan.FromMilliseconds(1)); break;
                }

                await cpu.CheckpointAsync();
            }

            Interlocked.Increment(ref ended);
        }
    }

    [Fact]
    public void By_default_there_are_twice_as_many_extra_threads_as_workers_and_at_least_16()
    {
        new CpuWorkerPoolOptions { WorkerCount = 1 }.MaxExtraThreads.Should().Be(16);
        new CpuWorkerPoolOptions { WorkerCount = 20 }.MaxExtraThreads.Should().Be(40);
        new CpuWorkerPoolOptions { MaxExtraThreads = 0 }.MaxExtraThreads.Should().Be(0);
        FluentActions.Invoking(() => new CpuWorkerPoolOptions { MaxExtraThreads = -1 }).Should().Throw<ArgumentOutOfRangeException>();
        FluentActions.Invoking(() => new CpuWorkerPoolOptions { MaxExtraThreads = 1025 }).Should().Throw<ArgumentOutOfRangeException>();
    }

    private static CpuWorkerPool Create(int workers = 1, int extraThreads = Extra) =>
        Pools.Create(workers, Pools.Short, extraThreads);

    private static class Slow
    {
        public static CpuTaskContext? Maker { get; set; }
    }

    private static class Initialized
    {
        public static readonly int Value = Make();

        private static int Make()
        {
            for (int i = 0; i < 5; i++)
            {
                Pools.Spin(TimeSpan.FromMilliseconds(1));
                Slow.Maker!.Value.Checkpoint();
            }

            return 7;
        }
    }
}
