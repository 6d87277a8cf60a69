using System.Runtime.CompilerServices;
using Picollo.Benchmarks.Comparison;
using Picollo.Cpu;

namespace Picollo.Benchmarks.Cpu.Contenders;

/// <summary>
/// A flow that goes back to the thread pool again and again by <c>await Task.Yield()</c>. It is queued before its thread leaves it,
/// so while that thread reads its clock, another one that waits for work takes it: with a watcher nearly every await changes the
/// thread, and the figure has the hand-over in it.
/// </summary>
internal sealed class YieldingAwaits(string name, CpuUsageDetail? detail) : Contender(name, 500)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations) => Task.Run(() => Flow(0, operations)).GetAwaiter().GetResult();

    /// <summary>What so many awaits allocate, on all threads, once the flow is under way.</summary>
    public long AllocatedBytes(int warmUpOperations, int operations) =>
        Task.Run(() => Flow(warmUpOperations, operations)).GetAwaiter().GetResult();

    private async Task<long> Flow(int warmUpOperations, int operations)
    {
        using CpuUsageAsyncWatcher? watcher = detail is { } known ? new CpuUsageAsyncWatcher(known) : null;
        for (int i = 0; i < warmUpOperations; i++)
        {
            await Task.Yield();
        }

        long before = warmUpOperations > 0 ? GC.GetTotalAllocatedBytes(precise: true) : 0;
        for (int i = 0; i < operations; i++)
        {
            await Task.Yield();
        }

        return warmUpOperations > 0 ? GC.GetTotalAllocatedBytes(precise: true) - before : 0;
    }
}
