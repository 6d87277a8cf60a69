namespace Picollo.Scheduling.Tests;

public class OptionsTests
{
    [Fact]
    public void By_default_a_quarter_of_the_processors_is_left_to_the_rest()
    {
        var options = new CpuWorkerPoolOptions();

        options.WorkerCount.Should().Be(Math.Max(1, Environment.ProcessorCount * 3 / 4));
        options.TimeSlice.Should().Be(TimeSpan.FromMilliseconds(10));
        options.Name.Should().Be("CPU worker");
    }

    [Fact]
    public async Task A_pool_takes_the_options_or_the_defaults()
    {
        await using var plain = new CpuWorkerPool();
        await using var other = new CpuWorkerPool(new CpuWorkerPoolOptions { WorkerCount = 3, Name = "other" });

        plain.WorkerCount.Should().Be(new CpuWorkerPoolOptions().WorkerCount);
        plain.Name.Should().Be("CPU worker");
        other.WorkerCount.Should().Be(3);
        other.Name.Should().Be("other");
        (await other.RunAsync(_ => Thread.CurrentThread.Name).Soon()).Should().BeOneOf("other 1", "other 2", "other 3");
    }

    [Theory]
    [InlineData(int.MinValue, false)]
    [InlineData(0, false)]
    [InlineData(1, true)]
    [InlineData(1024, true)]
    [InlineData(1025, false)]
    public void Workers_are_1_to_1024(int count, bool isAllowed) =>
        Check(() => new CpuWorkerPoolOptions { WorkerCount = count }.WorkerCount.Should().Be(count), nameof(CpuWorkerPoolOptions.WorkerCount), isAllowed);

    [Theory]
    [InlineData(-1, false)]
    [InlineData(0, false)]
    [InlineData(TimeSpan.TicksPerMillisecond - 1, false)]
    [InlineData(TimeSpan.TicksPerMillisecond, true)]
    [InlineData(10 * TimeSpan.TicksPerSecond, true)]
    [InlineData((10 * TimeSpan.TicksPerSecond) + 1, false)]
    public void A_slice_has_1_ms_to_10_s(long ticks, bool isAllowed) =>
        Check(() => new CpuWorkerPoolOptions { TimeSlice = new TimeSpan(ticks) }.TimeSlice.Ticks.Should().Be(ticks), nameof(CpuWorkerPoolOptions.TimeSlice), isAllowed);

    [Fact]
    public void A_name_is_not_empty()
    {
        FluentActions.Invoking(() => new CpuWorkerPoolOptions { Name = "" }).Should().Throw<ArgumentException>();
        FluentActions.Invoking(() => new CpuWorkerPoolOptions { Name = null! }).Should().Throw<ArgumentNullException>();
    }

    [Fact]
    public async Task As_many_workers_as_are_allowed_start_and_end()
    {
        CpuWorkerPool pool = Pools.Create(workers: 1024);

        await Task.WhenAll(Enumerable.Range(0, 3000).Select(_ => pool.RunAsync(_ => { }))).Soon();

        await pool.DisposeAsync().AsTask().Soon();
        pool.Statistics.Completed.Should().Be(3000);
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
