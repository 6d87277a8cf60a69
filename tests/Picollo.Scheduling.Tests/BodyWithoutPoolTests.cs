namespace Picollo.Scheduling.Tests;

/// <summary>An example of testing a body without a pool, with <see cref="CpuTaskContext.None"/>.</summary>
public class BodyWithoutPoolTests
{
    private static readonly int[][] Blocks = [[1, 2, 3], [4, 5], [6]];

    [Fact]
    public async Task An_async_body_returns_its_result() => (await SumAsync(Blocks, CpuTaskContext.None)).Should().Be(21);

    [Fact]
    public void An_async_body_that_only_computes_completes_synchronously() =>
        SumAsync(Blocks, CpuTaskContext.None).IsCompletedSuccessfully.Should().BeTrue();

    [Fact]
    public void A_body_that_is_not_async_returns_its_result() => Sum(Blocks, CpuTaskContext.None).Should().Be(21);

    [Fact]
    public async Task A_body_with_IO_returns_its_result() =>
        (await SumOfReadAsync([3, 4], CpuTaskContext.None)).Should().Be(7);

    [Fact]
    public async Task A_pool_returns_the_same_results()
    {
        await using CpuWorkerPool pool = Pools.Create();

        (await pool.RunAsync(cpu => SumAsync(Blocks, cpu)).Soon()).Should().Be(21);
        (await pool.RunAsync(cpu => Sum(Blocks, cpu)).Soon()).Should().Be(21);
        (await pool.RunAsync(cpu => SumOfReadAsync([3, 4], cpu)).Soon()).Should().Be(7);
    }

    private static async Task<int> SumAsync(int[][] blocks, CpuTaskContext cpu)
    {
        int sum = 0;
        foreach (int[] block in blocks)
        {
            sum += block.Sum();
            await cpu.CheckpointAsync();
        }

        return sum;
    }

    private static int Sum(int[][] blocks, CpuTaskContext cpu)
    {
        int sum = 0;
        foreach (int[] block in blocks)
        {
            sum += block.Sum();
            cpu.Checkpoint();
        }

        return sum;
    }

    private static async Task<int> SumOfReadAsync(byte[] content, CpuTaskContext cpu)
    {
        using var stream = new MemoryStream(content);
        byte[] read = new byte[content.Length];
        await cpu.RunOutsideAsync(token => stream.ReadExactlyAsync(read, token).AsTask());
        return read.Sum(value => value);
    }
}
