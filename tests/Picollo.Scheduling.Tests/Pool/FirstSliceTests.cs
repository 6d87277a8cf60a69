namespace Picollo.Scheduling.Tests.Pool;

/// <summary>A first slice that passes without the processor: here the body sleeps, which looks the same.</summary>
public class FirstSliceTests
{
    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_task_that_could_hardly_run_in_its_first_slice_stays_a_new_one_but_not_for_ever()
    {
        // So long that what the sleeps and their checkpoints take of the processor is far less than a tenth.
        await using CpuWorkerPool pool = Pools.Create(slice: TimeSpan.FromMilliseconds(200));

        bool[] isShort = await pool.RunAsync(async cpu =>
        {
            var after = new List<bool>();
            for (int slices = 1; slices <= 6; slices++)
            {
                while (cpu.GetUsage().SliceCount < slices)
                {
                    Thread.Sleep(10);
                    await cpu.CheckpointAsync();
                }

                after.Add(((CpuTask)SynchronizationContext.Current!).IsShort);
            }

            return after.ToArray();
        }).Soon();

        isShort.Should().Equal(true, true, true, true, true, false);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_task_that_has_waited_is_short_again_for_as_long()
    {
        TimeSpan slice = TimeSpan.FromMilliseconds(20);
        await using CpuWorkerPool pool = Pools.Create(slice: slice);

        await pool.RunAsync(async cpu =>
        {
            var own = (CpuTask)SynchronizationContext.Current!;
            for (int round = 0; round < 3; round++)
            {
                while (own.IsShort)
                {
                    Pools.Spin(slice);
                    await cpu.CheckpointAsync();
                }

                own.Credit.Should().BeLessThan(own.Slice);
                await cpu.RunOutsideAsync(token => Task.Delay(round == 0 ? 5 : 50, token));
                own.IsShort.Should().BeTrue("it has waited for a quarter of a slice or more");
                own.Credit.Should().BePositive().And.BeLessThanOrEqualTo(own.Slice, "more than a slice is not given");
                own.SliceLeft.Should().Be(own.Credit);
            }
        }).Soon();
    }

    [Fact]
    public async Task A_task_that_ran_in_its_first_slice_is_no_longer_new()
    {
        TimeSpan slice = TimeSpan.FromMilliseconds(20);
        await using CpuWorkerPool pool = Pools.Create(slice: slice);

        (TimeSpan cpuTime, bool isShort) = await pool.RunAsync(cpu =>
        {
            // The whole of it without a checkpoint, however long the machine takes for it.
            while (cpu.GetUsage().CpuTime < slice)
            {
                Thread.SpinWait(20);
            }

            while (cpu.GetUsage().SliceCount < 2)
            {
                cpu.Checkpoint();
            }

            return (cpu.GetUsage().CpuTime, ((CpuTask)SynchronizationContext.Current!).IsShort);
        }).Soon();

        isShort.Should().BeFalse("it has had {0} of the processor", cpuTime);
    }
}
