using System.Collections.Concurrent;

namespace Picollo.Scheduling.Tests.Blocked;

/// <summary>Bodies that block their workers. Each of these hung when a blocked worker counted like one that runs.</summary>
public class BlockedTests
{
    private const int Extra = 16;

    [Theory]
    [InlineData(1, 2)]
    [InlineData(4, 8)]
    public async Task A_lock_may_be_held_over_checkpoints(int workers, int bodies)
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
    public async Task A_lazy_value_may_come_to_checkpoints()
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
    public async Task A_static_constructor_may_come_to_checkpoints()
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
    public async Task A_body_may_wait_for_a_task_of_its_pool()
    {
        await using CpuWorkerPool pool = Create();

        int depth = await pool.RunAsync(_ => Nest(8)).Soon();

        depth.Should().Be(8);

        int Nest(int left) => left == 0 ? 0 : 1 + pool.RunAsync(_ => Nest(left - 1)).Result;
    }

    [Fact]
    public async Task Any_number_of_bodies_may_wait_for_a_task_each()
    {
        await using CpuWorkerPool pool = Create(extraThreads: 0);

        int[] results = await Task.WhenAll(Enumerable.Range(0, 30).Select(i => pool.RunAsync(_ => pool.RunAsync(_ => i).Result))).Soon();

        results.Should().Equal(Enumerable.Range(0, 30), "what blocked bodies wait for goes before other bodies that would block, too");
    }

    [Fact]
    public async Task A_body_may_wait_for_its_own_async_parts()
    {
        await using CpuWorkerPool pool = Create();

        int[] threads = await pool.RunAsync(_ =>
        {
            Task<int> part = Part();
            part.Wait();
            return new[] { Environment.CurrentManagedThreadId, part.Result };
        }).Soon();

        threads.Should().OnlyHaveUniqueItems("a blocked body's parts run in the thread pool");

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
    public async Task Without_extra_threads_bodies_that_have_stopped_go_on_all_the_same()
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
    public async Task A_blocked_body_is_counted_and_named_and_no_more_run_than_before_once_it_goes_on()
    {
        await using CpuWorkerPool pool = Create();
        using var release = new ManualResetEventSlim();
        var named = new ConcurrentQueue<(object?, CpuRunningTask)>();
        pool.WorkerBlocked += (sender, task) => named.Enqueue((sender, task));
        bool isOver = false;
        int running = 0, most = 0;

        Task blocked = pool.RunAsync(
            async cpu =>
            {
                release.Wait();
                await Burn(cpu);
            },
            new CpuTaskOptions { Name = "blocks" });
        Task[] others = [.. Enumerable.Range(0, 3).Select(_ => pool.RunAsync(Burn))];
        await Pools.Until(() => pool.Statistics is { Blocked: 1, ExtraThreads: 1 } && !named.IsEmpty);
        release.Set();
        await Pools.Until(() => pool.Statistics is { Blocked: 0, ExtraThreads: 0 });
        most = 0;
        await Pools.Until(() => most > 0);
        await Task.Delay(50);
        Volatile.Write(ref isOver, true);
        await Task.WhenAll([blocked, .. others]).Soon();

        most.Should().Be(1);
        named.Should().ContainSingle();
        named.TryPeek(out (object? Sender, CpuRunningTask Task) one).Should().BeTrue();
        one.Sender.Should().BeSameAs(pool);
        one.Task.Name.Should().Be("blocks");

        async Task Burn(CpuTaskContext cpu)
        {
            while (!Volatile.Read(ref isOver))
            {
                most = Math.Max(most, Interlocked.Increment(ref running));
                Pools.Spin(TimeSpan.FromMilliseconds(0.1));
                Interlocked.Decrement(ref running);
                await cpu.CheckpointAsync();
            }
        }
    }

    /// <summary>No task waits then, so that no slice would end.</summary>
    [Fact]
    public async Task One_too_many_steps_aside_though_nobody_waits()
    {
        await using CpuWorkerPool pool = Create();
        using var release = new ManualResetEventSlim();

        Task[] both =
        [
            pool.RunAsync(cpu =>
            {
                release.Wait();
                UntilNoneIsExtra(cpu);
            }),
            pool.RunAsync(cpu =>
            {
                release.Set();
                UntilNoneIsExtra(cpu);
            }),
        ];

        await Task.WhenAll(both).Soon();

        void UntilNoneIsExtra(CpuTaskContext cpu)
        {
            while (pool.Statistics.ExtraThreads > 0)
            {
                cpu.Checkpoint();
            }
        }
    }

    /// <summary>Each wait is noticed long before the slice ends: seven slices are longer than the test waits.</summary>
    [Fact]
    public async Task A_long_slice_does_not_hide_that_a_body_blocks()
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
    public async Task No_more_threads_than_allowed_run_in_the_place_of_blocked_ones()
    {
        await using CpuWorkerPool pool = Create(extraThreads: 3);
        using var release = new ManualResetEventSlim();

        Task[] blocked = [.. Enumerable.Range(0, 10).Select(_ => pool.RunAsync(_ => release.Wait()))];
        await Pools.Until(() => pool.Statistics is { Blocked: 4, Waiting: 6 });
        await Task.Delay(100);

        (pool.Statistics.ExtraThreads, pool.Statistics.GetRunning().Count).Should().Be((3, 4));
        release.Set();
        await Task.WhenAll(blocked).Soon();
        await Pools.Until(() => pool.Statistics is { Blocked: 0, ExtraThreads: 0 });
    }

    [Fact]
    public async Task A_body_that_nobody_waits_for_may_block()
    {
        await using CpuWorkerPool pool = Create();
        using var release = new ManualResetEventSlim();
        Task blocked = pool.RunAsync(_ => release.Wait());

        await Task.Delay(200);

        pool.Statistics.Blocked.Should().Be(0);
        release.Set();
        await blocked.Soon();
    }

    [Fact]
    public async Task Where_the_system_has_no_more_threads_a_blocked_worker_is_all_that_is_lost()
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
        pool.Statistics.ExtraThreads.Should().Be(0);
        release.Set();

        await Task.WhenAll(blocked, waiting).Soon();
    }

    /// <summary>Locks, waits, sleeps and checkpoints of all kinds at random, in bodies that start others: none is lost, and the pool is as it
    /// was at the end.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [Trait("Category", "Slow")]
    public async Task Bodies_that_block_in_all_ways_all_end(int workers)
    {
        await using CpuWorkerPool pool = Create(workers, extraThreads: 16);
        object[] gates = [new(), new(), new()];
        int ended = 0;
        const int tasks = 150;

        Task[] all = [.. Enumerable.Range(0, tasks).Select(i => pool.RunAsync(cpu => Body(cpu, new Random(i), depth: 2)))];
        await Task.WhenAll(all).Soon();

        ended.Should().BeGreaterThanOrEqualTo(tasks);
        await Pools.Until(() => pool.Statistics is { Blocked: 0, ExtraThreads: 0, Waiting: 0 });
        pool.Statistics.Completed.Should().Be(pool.Statistics.Submitted).And.Be(ended);

        async Task Body(CpuTaskContext cpu, Random random, int depth)
        {
            for (int step = 0; step < 4; step++)
            {
                switch (random.Next(7))
                {
                    case 0:
                        lock (gates[random.Next(gates.Length)]) // never two: that would be a deadlock of the bodies' own
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
    public void Extra_threads_are_twice_the_workers_and_at_least_16_unless_it_is_said()
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
