using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>Measures checkpoints of a task in its first slice, while no other task waits. The clock is read in the body.</summary>
internal abstract class Checkpoints(string name) : Contender(name, 50_000)
{
    // The slice does not end while its checkpoints are measured.
    private readonly CpuWorkerPool _pool = new(new CpuWorkerPoolOptions { WorkerCount = 1, TimeSlice = TimeSpan.FromSeconds(10) });

    public override void Run(int operations) => Measure(cpu => Loop(cpu, operations));

    public override double Measure() => Measure(cpu => Loop(cpu, Operations)) * (1e9 / Stopwatch.Frequency) / Operations;

    /// <summary>Measures the bytes that are allocated on the worker. The task of the loop is cached, because it completes synchronously.</summary>
    public override double AllocatedBytes(int operations) => InBody(async cpu =>
    {
        await Loop(cpu, operations);
        long before = GC.GetAllocatedBytesForCurrentThread();
        await Loop(cpu, operations);
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }) / (double)operations;

    protected abstract Task Loop(CpuTaskContext cpu, int operations);

    private long Measure(Func<CpuTaskContext, Task> loop) => InBody(async cpu =>
    {
        await Loop(cpu, WarmUpOperations);
        long start = Stopwatch.GetTimestamp();
        await loop(cpu);
        return Stopwatch.GetTimestamp() - start;
    });

    private long InBody(Func<CpuTaskContext, Task<long>> body) => _pool.RunAsync(body).GetAwaiter().GetResult();
}

internal sealed class AwaitedCheckpoints() : Checkpoints("await cpu.CheckpointAsync()")
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override async Task Loop(CpuTaskContext cpu, int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            await cpu.CheckpointAsync();
        }
    }
}

internal sealed class BlockingCheckpoints() : Checkpoints("cpu.Checkpoint()")
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    protected override Task Loop(CpuTaskContext cpu, int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            cpu.Checkpoint();
        }

        return Task.CompletedTask;
    }
}
