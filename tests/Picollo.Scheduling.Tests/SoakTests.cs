namespace Picollo.Scheduling.Tests;

/// <summary>Random combinations of all operations.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class SoakTests
{
    [Fact]
    public void Random_tasks_each_end_once_and_the_worker_count_is_never_exceeded() => Run(cases: 8);

    [Fact]
    [Trait("Category", "Long")]
    public void Random_tasks_each_end_once_in_many_cases() => Run(cases: 100);

    private static void Run(int cases) => Seeded.Run(cases, random => new Case(random).Run());

    private sealed class Case
    {
        private const int Tasks = 300;

        private readonly CpuWorkerPool _pool;
        private readonly CancellationTokenSource[] _sources = [new(), new(), new()];
        private readonly Random _random;
        private readonly ConcurrencyCounter _concurrency = new();
        private readonly int _workers;
        private int _submitted;
        private int _callsOutsideWorkers;

        public Case(Random random)
        {
            _random = random;
            _workers = random.Next(1, 5);
            _pool = Pools.Create(_workers, Pools.Short);
        }

        public void Run()
        {
            var tasks = new List<Task>();
            for (int i = 0; i < Tasks; i++)
            {
                tasks.Add(Submit(_random.Next(), depth: 0));
                if (_random.Next(Tasks / 2) == 0)
                {
                    _sources[_random.Next(_sources.Length)].Cancel();
                }

                Thread.SpinWait(_random.Next(500));
            }

            bool isAbrupt = _random.Next(3) == 0;
            Task end = isAbrupt ? _pool.DisposeAsync().AsTask() : _pool.DrainAsync();
            end.Soon().Wait();
            _pool.DisposeAsync().AsTask().Soon().Wait();
            tasks.ForEach(task => task.Ended().Wait());

            foreach (Task task in tasks.Where(task => task.IsFaulted))
            {
                task.Exception!.Flatten().InnerExceptions.Should().OnlyContain(each => each is FormatException || each is ObjectDisposedException);
            }

            CpuWorkerStatistics statistics = _pool.Statistics;
            statistics.SubmittedCount.Should().BePositive().And.BeLessThanOrEqualTo(_submitted, "tasks that are already canceled are not accepted");
            (statistics.CompletedCount + statistics.FailedCount + statistics.CanceledCount).Should().Be(statistics.SubmittedCount);
            statistics.WaitingCount.Should().Be(0);
            statistics.GetRunningTasks().Should().BeEmpty();
            statistics.SliceLengths.TotalCount.Should().Be(statistics.QueueWaits.TotalCount);
            _concurrency.Now.Should().Be(0);
            _concurrency.Max.Should().BeInRange(isAbrupt ? 0 : 1, _workers, "on a busy machine, the pool may end before a task has run");
            _callsOutsideWorkers.Should().Be(0, "everything ran on workers");
            foreach (CancellationTokenSource source in _sources)
            {
                source.Dispose();
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
            if (random.Next(12) == 0)
            {
                Interlocked.Add(ref _submitted, _workers);
                return _pool.ForEachAsync(Enumerable.Range(0, random.Next(20)), (item, cpu) => Step(cpu, new Random(seed + item), depth + 1), options, token);
            }

            Interlocked.Increment(ref _submitted);
            return random.Next(4) switch
            {
                0 => _pool.RunAsync(cpu => Blocking(cpu, random), options, token),
                1 => _pool.RunAsync(cpu =>
                {
                    Blocking(cpu, random);
                    return seed;
                }, options, token),
                _ => _pool.RunAsync(cpu => Steps(cpu, random, depth), options, token),
            };
        }

        private async Task Steps(CpuTaskContext cpu, Random random, int depth)
        {
            for (int steps = random.Next(8); steps > 0; steps--)
            {
                await Step(cpu, random, depth);
            }
        }

        private async Task Step(CpuTaskContext cpu, Random random, int depth)
        {
            Work(random);
            switch (random.Next(11))
            {
                case 0: await Task.Yield(); break;
                case 1: await cpu.RunOutsideAsync(token => Task.Delay(random.Next(2), token)); break;
                case 2: cpu.Checkpoint(); break;
                case 3 when depth < 3: await Submit(random.Next(), depth + 1).Ended(); break;
                case 4 when depth < 3: _ = Submit(random.Next(), depth + 1); break; // no task waits for it
                case 5: await Task.WhenAll(Part(cpu, new Random(1)), Part(cpu, new Random(2))); break;
                case 6 when random.Next(4) == 0: throw new FormatException();
                case 7: await Task.Delay(1, cpu.CancellationToken); break;
                case 8:
                    await Task.Delay(random.Next(2)).ConfigureAwait(false);
                    do
                    {
                        await cpu.CheckpointAsync(); // at the first checkpoint, the worker may not have left the body yet
                    }
                    while (!_pool.HasThisThread());
                    break;
                default: await cpu.CheckpointAsync(); break;
            }

            Work(random);
        }

        private async Task Part(CpuTaskContext cpu, Random random)
        {
            Work(random);
            await Task.Yield();
            Work(random);
            await cpu.CheckpointAsync();
            Work(random);
        }

        private void Blocking(CpuTaskContext cpu, Random random)
        {
            for (int steps = random.Next(8); steps > 0; steps--)
            {
                Work(random);
                cpu.Checkpoint();
                if (random.Next(30) == 0)
                {
                    throw new FormatException();
                }
            }

            Work(random);
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
