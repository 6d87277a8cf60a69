namespace Picollo.Scheduling.Tests;

public class OptionsTests
{
    [Fact]
    public void By_default_a_pool_uses_three_quarters_of_the_processors()
    {
        var options = new CpuWorkerPoolOptions();

        options.WorkerCount.Should().Be(Math.Max(1, Environment.ProcessorCount * 3 / 4));
        options.TimeSlice.Should().Be(TimeSpan.FromMilliseconds(10));
        options.Name.Should().Be("CPU worker");
    }

    [Fact]
    public async Task A_pool_uses_the_options_or_the_defaults()
    {
        await using var plain = new CpuWorkerPool();
        await using var other = new CpuWorkerPool(new CpuWorkerPoolOptions { WorkerCount = 3, Name = "other" });

        plain.WorkerCount.Should().Be(new CpuWorkerPoolOptions().WorkerCount);
        plain.Name.Should().Be("CPU worker");
        other.WorkerCount.Should().Be(3);
        other.Name.Should().Be("other");
        (await other.RunAsync(_ => Thread.CurrentThread.Name).Soon()).Should().BeOneOf("other 1", "other 2", "other 3");
    }

    [Fact]
    public void A_pool_cannot_be_created_if_the_CPU_time_of_threads_is_unavailable() =>
        FluentActions.Invoking(() => new CpuWorkerPool(null, () => throw new MeasurementUnavailableException("No clock.", MeasurementUnavailableCause.Unknown)))
            .Should().Throw<MeasurementUnavailableException>().WithMessage("No clock.");

    [Theory]
    [InlineData(int.MinValue, false)]
    [InlineData(0, false)]
    [InlineData(1, true)]
    [InlineData(1024, true)]
    [InlineData(1025, false)]
    public void The_worker_count_must_be_from_1_to_1024(int count, bool isAllowed) =>
        Check(() => new CpuWorkerPoolOptions { WorkerCount = count }.WorkerCount.Should().Be(count), nameof(CpuWorkerPoolOptions.WorkerCount), isAllowed);

    [Theory]
    [InlineData(-1, false)]
    [InlineData(0, false)]
    [InlineData(TimeSpan.TicksPerMillisecond - 1, false)]
    [InlineData(TimeSpan.TicksPerMillisecond, true)]
    [InlineData(10 * TimeSpan.TicksPerSecond, true)]
    [InlineData((10 * TimeSpan.TicksPerSecond) + 1, false)]
    public void A_slice_must_be_from_1_ms_to_10_s(long ticks, bool isAllowed) =>
        Check(() => new CpuWorkerPoolOptions { TimeSlice = new TimeSpan(ticks) }.TimeSlice.Ticks.Should().Be(ticks), nameof(CpuWorkerPoolOptions.TimeSlice), isAllowed);

    [Fact]
    public void By_default_a_task_has_the_slice_of_its_pool_and_normal_priority()
    {
        var options = new CpuTaskOptions();

        (options.Name, options.Priority, options.Slice).Should().Be((null, CpuTaskPriority.Normal, null));
    }

    [Theory]
    [InlineData(TimeSpan.TicksPerMillisecond - 1, false)]
    [InlineData(TimeSpan.TicksPerMillisecond, true)]
    [InlineData(10 * TimeSpan.TicksPerSecond, true)]
    [InlineData((10 * TimeSpan.TicksPerSecond) + 1, false)]
    public void The_slice_of_a_task_must_be_from_1_ms_to_10_s(long ticks, bool isAllowed) =>
        Check(() => new CpuTaskOptions { Slice = new TimeSpan(ticks) }.Slice!.Value.Ticks.Should().Be(ticks), nameof(CpuTaskOptions.Slice), isAllowed);

    [Theory]
    [InlineData(-2, false)]
    [InlineData(-1, true)]
    [InlineData(1, true)]
    [InlineData(2, false)]
    public void A_priority_must_be_one_of_three(int priority, bool isAllowed) =>
        Check(() => new CpuTaskOptions { Priority = (CpuTaskPriority)priority }.Priority.Should().Be((CpuTaskPriority)priority), nameof(CpuTaskOptions.Priority), isAllowed);

    [Fact]
    public void Options_of_a_pool_are_copied()
    {
        var options = new CpuWorkerPoolOptions { WorkerCount = 2, Name = "before" };
        using var pool = new CpuWorkerPool(options);
        options.WorkerCount = 3;
        options.Name = "after";

        (pool.WorkerCount, pool.Name).Should().Be((2, "before"));
    }

    [Fact]
    public async Task Options_of_a_task_are_copied()
    {
        await using CpuWorkerPool pool = Pools.Create();
        var options = new CpuTaskOptions { Name = "before" };
        Task<string> task;
        using (Held.Worker(pool))
        {
            task = pool.RunAsync(cpu => cpu.Name, options);
            options.Name = "after";
        }

        (await task.Soon()).Should().Be("before");
    }

    [Theory]
    [InlineData(1, 2_000)]
    [InlineData(2_000, 1)]
    public async Task A_task_with_its_own_slice_uses_it(int own, int pools)
    {
        await using var pool = new CpuWorkerPool(new CpuWorkerPoolOptions { WorkerCount = 1, TimeSlice = TimeSpan.FromMilliseconds(pools) });
        var options = new CpuTaskOptions { Slice = TimeSpan.FromMilliseconds(own) };
        int slices = await pool.RunAsync(
            async cpu =>
            {
                var watch = System.Diagnostics.Stopwatch.StartNew();
                while (watch.ElapsedMilliseconds < 100)
                {
                    await cpu.CheckpointAsync();
                }

                return cpu.SliceCount;
            },
            options).Soon();

        // No other task waits, so the next slice starts immediately. On a busy machine, the timer is late.
        slices.Should().BeInRange(own == 1 ? 2 : 1, own == 1 ? 101 : 1);
    }

    [Fact]
    public async Task A_short_slice_ends_in_time_while_an_earlier_slice_continues()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2);
        var brief = new CpuTaskOptions { Slice = Pools.Short };
        bool hasStarted = false, isDone = false;
        Task<int> endless = pool.RunAsync(
            cpu =>
            {
                while (!Volatile.Read(ref isDone))
                {
                    cpu.Checkpoint();
                }

                return cpu.SliceCount;
            },
            new CpuTaskOptions { Priority = CpuTaskPriority.High });
        await Task.Delay(20); // now the timer sleeps until the end of that slice
        Task stopped = pool.RunAsync(
            cpu =>
            {
                while (!Volatile.Read(ref hasStarted))
                {
                    cpu.Checkpoint(); // the next task interrupts it, and it continues when the slice of that task ends
                }

                Volatile.Write(ref isDone, true);
            },
            brief);
        Task next = pool.RunAsync(
            cpu =>
            {
                Volatile.Write(ref hasStarted, true);
                while (!Volatile.Read(ref isDone))
                {
                    cpu.Checkpoint();
                }
            },
            brief);
        await Task.WhenAll(stopped, next).Soon();

        (await endless.Soon()).Should().Be(1, "its first slice has not ended");
    }

    [Fact]
    public void An_empty_name_is_rejected()
    {
        FluentActions.Invoking(() => new CpuTaskOptions { Name = "" }).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => new CpuWorkerPoolOptions { Name = "" }).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => new CpuWorkerPoolOptions { Name = null! }).Should().Throw<ArgumentNullException>();
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_maximum_number_of_workers_starts_and_ends()
    {
        CpuWorkerPool pool = Pools.Create(workers: 1024);

        await Task.WhenAll(Enumerable.Range(0, 3000).Select(_ => pool.RunAsync(_ => { }))).Soon();

        await pool.DisposeAsync().AsTask().Soon();
        pool.Statistics.CompletedCount.Should().Be(3000);
    }

    private static void Check(Action set, string name, bool isAllowed)
    {
        if (isAllowed)
        {
            set();
        }
        else
        {
            set.Should().Throw<ArgumentOutOfRangeException>().WithParameterName(name);
        }
    }
}
