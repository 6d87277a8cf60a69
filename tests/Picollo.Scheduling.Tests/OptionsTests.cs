namespace Picollo.Scheduling.Tests;

public class OptionsTests : OnePool
{
    [Fact]
    public async Task A_pool_uses_copies_of_the_options_or_the_defaults()
    {
        var options = new CpuWorkerPoolOptions();
        (options.WorkerCount, options.TimeSlice, options.Name).Should()
            .Be((Math.Max(1, Environment.ProcessorCount * 3 / 4), TimeSpan.FromMilliseconds(10), "CPU worker"));
        new CpuWorkerPoolOptions { WorkerCount = 1 }.MaxExtraThreads.Should().Be(16);
        new CpuWorkerPoolOptions { WorkerCount = 20 }.MaxExtraThreads.Should().Be(40);
        await using var plain = new CpuWorkerPool();
        (plain.WorkerCount, plain.Name).Should().Be((options.WorkerCount, "CPU worker"));

        (options.WorkerCount, options.Name) = (3, "before");
        await using var other = new CpuWorkerPool(options);
        (options.WorkerCount, options.Name) = (2, "after");
        (other.WorkerCount, other.Name).Should().Be((3, "before"));
        (await other.RunAsync(_ => Thread.CurrentThread.Name).Soon()).Should().BeOneOf("before 1", "before 2", "before 3");
    }

    [Fact]
    public void A_pool_cannot_be_created_if_the_CPU_time_of_threads_is_unavailable() =>
        FluentActions.Invoking(() => new CpuWorkerPool(null, () => throw new MeasurementUnavailableException("No clock.", MeasurementUnavailableCause.Unknown)))
            .Should().Throw<MeasurementUnavailableException>().WithMessage("No clock.");

    [Fact]
    public void Values_outside_their_range_are_rejected()
    {
        TimeSpan tick = TimeSpan.FromTicks(1), least = TimeSpan.FromMilliseconds(1), most = TimeSpan.FromSeconds(10);
        Check(value => new CpuWorkerPoolOptions { WorkerCount = value }.WorkerCount, "WorkerCount", [1, 1024], [int.MinValue, 0, 1025]);
        Check(value => new CpuWorkerPoolOptions { MaxExtraThreads = value }.MaxExtraThreads, "MaxExtraThreads", [0, 1024], [-1, 1025]);
        Check(value => new CpuWorkerPoolOptions { TimeSlice = value }.TimeSlice, "TimeSlice", [least, most],
            [-tick, default, least - tick, most + tick]);
        Check(value => new CpuTaskOptions { Slice = value }.Slice!.Value, "Slice", [least, most], [least - tick, most + tick]);
        Check(value => new CpuTaskOptions { Priority = value }.Priority, "Priority", Enum.GetValues<CpuTaskPriority>(),
            [(CpuTaskPriority)(-2), (CpuTaskPriority)2]);
        FluentActions.Invoking(() => new CpuTaskOptions { Name = "" }).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => new CpuWorkerPoolOptions { Name = "" }).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => new CpuWorkerPoolOptions { Name = null! }).Should().Throw<ArgumentNullException>();

        static void Check<T>(Func<T, T> set, string name, T[] allowed, T[] rejected)
        {
            allowed.Select(set).Should().Equal(allowed);
            foreach (T value in rejected)
            {
                FluentActions.Invoking(() => set(value)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName(name);
            }
        }
    }

    [Fact]
    public async Task Options_of_a_task_are_copied()
    {
        var options = new CpuTaskOptions();
        (options.Name, options.Priority, options.Slice).Should().Be((null, CpuTaskPriority.Normal, null));
        options.Name = "before";
        Task<string> task;
        using (Held.Worker(Pool))
        {
            task = Pool.RunAsync(cpu => cpu.Name, options);
            options.Name = "after";
        }

        (await task.Soon()).Should().Be("before");
    }

    [Fact]
    public async Task A_task_with_its_own_slice_uses_it_even_while_a_longer_slice_continues()
    {
        await using CpuWorkerPool two = Pools.Create(workers: 2), shortly = Pools.Create(slice: Pools.Short);
        Busy endless = Busy.Start(two);
        await Task.Delay(20); // now the timer sleeps until the end of that slice

        // No other task waits, so the next slice starts immediately. With the slices of the pool, eight would take longer than the deadline.
        await two.RunAsync(
            async cpu =>
            {
                while (cpu.SliceCount < 8)
                {
                    await cpu.CheckpointAsync();
                }
            },
            new CpuTaskOptions { Slice = Pools.Short }).Soon();
        endless.Stop();
        (await endless.Task.Soon()).Should().BeLessThan(8, "its slices are longer");

        int slices = await shortly.RunAsync(
            async cpu =>
            {
                for (int steps = 0; steps < 100; steps++)
                {
                    Pools.Spin(Pools.Short);
                    await cpu.CheckpointAsync();
                }

                return cpu.SliceCount;
            },
            new CpuTaskOptions { Slice = Pools.Endless }).Soon();
        slices.Should().Be(1);
    }
}
