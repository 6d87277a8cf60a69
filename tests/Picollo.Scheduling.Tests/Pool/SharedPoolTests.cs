namespace Picollo.Scheduling.Tests.Pool;

/// <summary>The pool that the process shares. Tests must not change it.</summary>
public class SharedPoolTests
{
    [Fact]
    public void Concurrent_first_callers_get_the_same_pool()
    {
        using Barrier all = new(8);
        CpuWorkerPool[] pools = new CpuWorkerPool[all.ParticipantCount];
        Thread[] threads = [.. Enumerable.Range(0, pools.Length).Select(i => new Thread(() =>
        {
            all.SignalAndWait();
            pools[i] = CpuWorkerPool.Shared;
        }))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());

        pools.Should().OnlyContain(pool => ReferenceEquals(pool, CpuWorkerPool.Shared));
    }

    [Fact]
    public async Task The_shared_pool_has_default_options_and_its_own_name()
    {
        CpuWorkerPool.Shared.WorkerCount.Should().Be(new CpuWorkerPoolOptions().WorkerCount);
        CpuWorkerPool.Shared.Name.Should().Be("Shared worker");
        (await CpuWorkerPool.Shared.RunAsync(_ => Thread.CurrentThread.Name).Soon()).Should().MatchRegex("^Shared worker [0-9]+$");
    }

    [Fact]
    public async Task Disposing_the_shared_pool_does_not_end_it_or_cancel_tasks_even_in_its_own_task()
    {
        var goOn = new TaskCompletionSource();
        Task<int> before = CpuWorkerPool.Shared.RunAsync(async cpu =>
        {
            await goOn.Task;
            await cpu.CheckpointAsync();
            return 1;
        });

        await Task.Run(CpuWorkerPool.Shared.Dispose).Soon();
        await CpuWorkerPool.Shared.RunAsync(_ => CpuWorkerPool.Shared.Dispose()).Soon();
        await CpuWorkerPool.Shared.RunAsync(_ => CpuWorkerPool.Shared.DisposeAsync().AsTask()).Soon();
        goOn.SetResult();

        (await before.Soon()).Should().Be(1);
        (await CpuWorkerPool.Shared.RunAsync(_ => 2).Soon()).Should().Be(2);
    }

    [Fact]
    public async Task The_shared_pool_cannot_be_drained()
    {
        await FluentActions.Awaiting(() => CpuWorkerPool.Shared.DrainAsync()).Should().ThrowAsync<InvalidOperationException>()
            .WithMessage("CpuWorkerPool.Shared cannot be drained*");

        (await CpuWorkerPool.Shared.RunAsync(_ => 3).Soon()).Should().Be(3);
    }
}
