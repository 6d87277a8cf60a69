namespace Picollo.Scheduling.Tests;

/// <summary>Random combinations of all operations.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class StressTests
{
    /// <param name="blocks">Whether bodies also block, interrupt their threads, and are delayed at the seams. Otherwise, the test also checks
    /// that the worker count is never exceeded.</param>
    /// <param name="cases">The number of pools.</param>
    [Theory]
    [InlineData(false, 8)]
    [InlineData(true, 6)]
    public void Random_tasks_each_end_once(bool blocks, int cases) => Seeded.Run(cases, random => new Case(random, blocks).Run());

    [Theory]
    [InlineData(false, 100)]
    [InlineData(true, 400)]
    [Trait("Category", "Long")]
    public void Random_tasks_each_end_once_in_many_cases(bool blocks, int cases) => Random_tasks_each_end_once(blocks, cases);

    private sealed class Case
    {
        private readonly CpuWorkerPool _pool;
        private readonly CancellationTokenSource[] _sources = [new(), new(), new()];
        private readonly object[] _gates = [new(), new(), new()];
        private readonly Random _random;
        private readonly bool _blocks;
        private readonly ConcurrencyCounter _concurrency;
        private readonly int _workers;
        private int _seamSeed;
        private int _submitted;
        private int _callsOutsideWorkers;

        public Case(Random random, bool blocks)
        {
            (_random, _blocks, _workers, _seamSeed) = (random, blocks, random.Next(1, 5), random.Next());
            _pool = Pools.Create(_workers, Pools.Short, blocks ? random.Next(2) * 16 : 0, blocks ? Delay : null);
            _concurrency = ConcurrencyCounter.OfBodies(_pool);
        }

        public void Run()
        {
            var tasks = new List<Task>();
            int count = _blocks ? 80 : 300;
            for (int i = 0; i < count; i++)
            {
                tasks.Add(Submit(_random.Next(), depth: 2));
                if (_random.Next(count / 2) == 0)
                {
                    _sources[_random.Next(_sources.Length)].Cancel();
                }

                Thread.SpinWait(_random.Next(500));
            }

            bool isAbrupt = _random.Next(2) == 0;
            Task end = isAbrupt ? _pool.DisposeAsync().AsTask() : _pool.DrainAsync();
            end.Soon().Wait();
            _pool.DisposeAsync().AsTask().Soon().Wait();
            foreach (Task task in tasks)
            {
                task.Ended().Wait();
                (task.Exception?.Flatten().InnerExceptions ?? []).Where(each => each is not (FormatException or ThreadInterruptedException
                    or ObjectDisposedException or OperationCanceledException)).Should().BeEmpty();
            }

            CpuWorkerStatistics statistics = _pool.Statistics;
            statistics.SubmittedCount.Should().BePositive().And.BeLessThanOrEqualTo(_submitted, "tasks that are already canceled are not accepted");
            (statistics.CompletedCount + statistics.FailedCount + statistics.CanceledCount).Should().Be(statistics.SubmittedCount);
            (statistics.WaitingCount, statistics.BlockedCount, statistics.GetRunningTasks().Count).Should().Be((0, 0, 0));
            if (!_blocks)
            {
                statistics.SliceLengths.TotalCount.Should().Be(statistics.QueueWaits.TotalCount);
                _concurrency.Now.Should().Be(0);
                _concurrency.Max.Should().BeGreaterThanOrEqualTo(isAbrupt ? 0 : 1, "on a busy machine, the pool may end before a task has run");
                _concurrency.ShouldNotExceed(_workers).Wait();
                _callsOutsideWorkers.Should().Be(0, "everything ran on workers");
            }

            Array.ForEach(_sources, source => source.Dispose());
        }

        private void Delay(Seam seam)
        {
            var random = new Random(Interlocked.Increment(ref _seamSeed));
            switch (random.Next(seam == Seam.ThreadRead ? 3 : 12))
            {
                case 0: Thread.Sleep(random.Next(seam == Seam.ThreadRead ? 15 : 4)); break;
                case 1: Thread.SpinWait(random.Next(2_000)); break;
            }
        }

        private Task Submit(int seed, int depth)
        {
            var random = new Random(seed);
            CancellationToken token = random.Next(3) == 0 ? _sources[random.Next(_sources.Length)].Token : default;
            var options = new CpuTaskOptions
            {
                Name = $"kind {random.Next(4)}",
                Priority = (CpuTaskPriority)random.Next(-1, 2),
                Slice = random.Next(4) == 0 ? TimeSpan.FromMilliseconds(random.Next(1, 20)) : null,
            };
            int kind = random.Next(12);
            Interlocked.Add(ref _submitted, kind == 0 ? _workers : 1);
            return kind switch
            {
                0 => _pool.ForEachAsync(
                    Enumerable.Range(0, random.Next(20)), (item, cpu) => Step(cpu, new Random(seed + item), depth - 1), options, token),
                1 or 2 => _pool.RunAsync(void (cpu) => Steps(cpu, random, depth), options, token),
                3 => _pool.RunAsync(
                    cpu =>
                    {
                        Steps(cpu, random, depth);
                        return seed;
                    },
                    options,
                    token),
                _ => _pool.RunAsync(cpu => StepsAsync(cpu, random, depth), options, token),
            };
        }

        private async Task StepsAsync(CpuTaskContext cpu, Random random, int depth)
        {
            for (int steps = random.Next(_blocks ? 5 : 8); steps > 0; steps--)
            {
                await Step(cpu, random, depth);
            }
        }

        private void Steps(CpuTaskContext cpu, Random random, int depth)
        {
            for (int steps = random.Next(_blocks ? 2 : 8); steps > 0; steps--)
            {
                Block(cpu, random, depth);
                cpu.Checkpoint();
            }

            Work(random);
        }

        private async Task Step(CpuTaskContext cpu, Random random, int depth)
        {
            Work(random);
            switch (random.Next(14))
            {
                case 0: await Task.Yield(); break;
                case 1: await Task.Delay(1, cpu.CancellationToken); break;
                case 2: await cpu.RunOutsideAsync(token => Task.Delay(random.Next(3), token)); break;
                case 3 when depth > 0: await Submit(random.Next(), depth - 1).Ended(); break;
                case 4 when depth > 0: _ = Submit(random.Next(), depth - 1); break; // no task waits for it
                case 5: await Task.WhenAll(Part(cpu, new Random(1)), Part(cpu, new Random(2))); break;
                case 6 when _blocks: SynchronizationContext.Current?.Post(_ => Interrupt(), null); break;
                case 7:
                    await Task.Delay(random.Next(2)).ConfigureAwait(false);
                    do
                    {
                        await cpu.CheckpointAsync(); // at the first checkpoint, the worker may not have left the body yet
                    }
                    while (!_blocks && !_pool.HasThisThread());
                    break;
                case 8 or 9 or 10: Block(cpu, random, depth); break;
                default: await cpu.CheckpointAsync(); break;
            }

            Work(random);
        }

        private async Task Part(CpuTaskContext cpu, Random random)
        {
            Work(random);
            await Task.Yield();
            Interrupt();
            Work(random);
            await cpu.CheckpointAsync();
            Work(random);
        }

        private void Block(CpuTaskContext cpu, Random random, int depth)
        {
            switch (random.Next(_blocks ? 10 : 30))
            {
                case 0: throw new FormatException();
                case 1 when _blocks: _sources[random.Next(_sources.Length)].Cancel(); break;
                case 2 when _blocks: Thread.Sleep(random.Next(30)); break;
                case 3 when _blocks && depth > 0: Submit(random.Next(), depth - 1).Wait(); break;
                case 4 or 5 when _blocks:
                    lock (_gates[random.Next(_gates.Length)]) // never two locks, with which the bodies could deadlock each other
                    {
                        Pools.Spin(TimeSpan.FromMilliseconds(random.NextDouble()));
                        cpu.Checkpoint();
                    }

                    break;
                case 6: Interrupt(); break;
                default:
                    Work(random);
                    cpu.Checkpoint();
                    break;
            }
        }

        /// <summary>Interrupts the calling thread if it belongs to the pool. The threads of the thread pool must not be interrupted.</summary>
        private void Interrupt()
        {
            if (_blocks && _pool.HasThisThread())
            {
                Thread.CurrentThread.Interrupt();
            }
        }

        private void Work(Random random)
        {
            _concurrency.Enter();
            Interlocked.Add(ref _callsOutsideWorkers, _pool.HasThisThread() ? 0 : 1);
            Thread.SpinWait(random.Next(1000));
            _concurrency.Leave();
        }
    }
}
