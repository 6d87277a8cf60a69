namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Tests a first slice that uses hardly any CPU time. The body sleeps, which has the same effect as a thread that gets no CPU.</summary>
public class FirstSliceTests
{
    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_task_that_hardly_ran_in_its_first_slice_remains_short_for_a_limited_number_of_slices()
    {
        // Long enough that the CPU time of the sleeps and checkpoints is far less than a tenth of it.
        await using CpuWorkerPool pool = Pools.Create(slice: TimeSpan.FromMilliseconds(200));

        bool[] isShort = await pool.RunAsync(async cpu =>
        {
            var after = new List<bool>();
            for (int slices = 1; slices <= 6; slices++)
            {
                while (cpu.SliceCount < slices)
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
    public async Task A_task_that_has_waited_is_short_again_for_the_time_it_waited()
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
                await cpu.RunOutsideAsync(async token =>
                {
                    // Otherwise, the body would not wait if the worker's thread had no CPU until the end of the delay.
                    while (own.State != CpuTaskState.Outside)
                    {
                        await Task.Delay(1, token);
                    }

                    await Task.Delay(round == 0 ? 5 : 50, token);
                });
                own.IsShort.Should().BeTrue("it has waited for a quarter of a slice or more");
                own.Credit.Should().BePositive().And.BeLessThanOrEqualTo(own.Slice, "the credit is limited to a slice");
                own.SliceLeft.Should().Be(own.Credit);
            }
        }).Soon();
    }
}
