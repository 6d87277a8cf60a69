namespace Picollo.Scheduling.Tests;

/// <summary>Bodies that throw, cancel, block, nest and interrupt their threads at random, with random delays at the seams.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class StressTests
{
    [Fact]
    public void Bodies_of_all_kinds_end_and_the_pool_ends() => Seeded.Run(5, random => new Case(random).Run());

    [Fact]
    [Trait("Category", "Long")]
    public void Bodies_of_all_kinds_end_and_the_pool_ends_in_many_cases() => Seeded.Run(400, random => new Case(random).Run());

    private sealed class Case
    {
        private const int Tasks = 60;

        private readonly CpuWorkerPool _pool;
        private readonly CancellationTokenSource[] _sources = [new(), new(), new()];
        private readonly Random _random;
        private readonly object[] _gates = [new(), new()];
        private int _seamSeed;

        public Case(Random random)
        {
            _random = random;
            _seamSeed = random.Next();
            _pool = Pools.Create(random.Next(1, 4), Pools.Short, random.Next(2) * 16, Delay);
        }

        public void Run()
        {
            Task[] tasks = [.. Enumerable.Range(0, Tasks).Select(_ => Submit(_random.Next(), depth: 2))];
            if (_random.Next(2) == 0)
            {
                _pool.DrainAsync().Soon().Wait();
            }

            _pool.DisposeAsync().AsTask().Soon().Wait();
            foreach (Task task in tasks)
            {
                task.Ended().Wait();
                (task.Exception?.Flatten().InnerExceptions ?? []).Where(each => each is not (FormatException or ThreadInterruptedException
                    or ObjectDisposedException or OperationCanceledException)).Should().BeEmpty();
            }

            CpuWorkerStatistics statistics = _pool.Statistics;
            (statistics.CompletedCount + statistics.FailedCount + statistics.CanceledCount).Should().Be(statistics.SubmittedCount);
            (statistics.WaitingCount, statistics.BlockedCount, statistics.GetRunningTasks().Count).Should().Be((0, 0, 0));
            foreach (CancellationTokenSource source in _sources)
            {
                source.Dispose();
            }
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
            return random.Next(8) switch
            {
                0 => _pool.ForEachAsync(Enumerable.Range(0, random.Next(6)), (item, cpu) => Body(cpu, new Random(seed + item), depth - 1), cancellationToken: token),
                1 => _pool.RunAsync(void (cpu) => Blocking(cpu, random, depth), cancellationToken: token),
                _ => _pool.RunAsync(cpu => Body(cpu, random, depth), cancellationToken: token),
            };
        }

        private async Task Body(CpuTaskContext cpu, Random random, int depth)
        {
            for (int steps = random.Next(5); steps > 0; steps--)
            {
                switch (random.Next(11))
                {
                    case 0: await Task.Yield(); break;
                    case 1: await Task.Delay(random.Next(3)); break;
                    case 2: await Task.Delay(random.Next(3)).ConfigureAwait(false); break;
                    case 3 when depth > 0: await Submit(random.Next(), depth - 1); break;
                    case 4: await cpu.RunOutsideAsync(token => Task.Delay(random.Next(3), token)); break;
                    case 5: SynchronizationContext.Current?.Post(_ => Interrupt(), null); break;
                    case 6: await Part(random.Next(3)); break;
                    default: Blocking(cpu, random, depth); break;
                }

                await cpu.CheckpointAsync();
            }
        }

        private async Task Part(int milliseconds)
        {
            await Task.Delay(milliseconds);
            Interrupt();
        }

        private void Blocking(CpuTaskContext cpu, Random random, int depth)
        {
            switch (random.Next(8))
            {
                case 0: throw new FormatException();
                case 1: _sources[random.Next(_sources.Length)].Cancel(); break;
                case 2: Thread.Sleep(random.Next(30)); break;
                case 3 when depth > 0: Submit(random.Next(), depth - 1).Wait(); break;
                case 4:
                    lock (_gates[random.Next(_gates.Length)])
                    {
                        Pools.Spin(TimeSpan.FromMilliseconds(random.NextDouble()));
                        cpu.Checkpoint();
                    }

                    break;
                case 5: Interrupt(); break;
                default:
                    Pools.Spin(TimeSpan.FromMilliseconds(random.NextDouble()));
                    cpu.Checkpoint();
                    break;
            }
        }

        /// <summary>Interrupts the calling thread if it belongs to the pool. The threads of the thread pool must not be interrupted.</summary>
        private void Interrupt()
        {
            if (_pool.HasThisThread())
            {
                Thread.CurrentThread.Interrupt();
            }
        }
    }
}
