using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling.Contenders;

internal sealed class PoolSubmits(string name, Func<CpuWorkerPool, Task> submit) : Submits(name)
{
    private readonly CpuWorkerPool _pool = new(new CpuWorkerPoolOptions { WorkerCount = 1 });

    protected override Task Submit() => submit(_pool);
}
