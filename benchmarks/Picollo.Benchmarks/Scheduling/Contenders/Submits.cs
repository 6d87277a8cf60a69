using System.Diagnostics;
using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.Scheduling.Contenders;

/// <summary>
/// An async flow in the thread pool, as a request is one, that submits an empty piece of work and awaits it, again and again. A
/// repetition's figure is its median, one clock reading included: the first submissions find everything asleep.
/// </summary>
internal abstract class Submits(string name) : Contender(name, 300)
{
    private readonly long[] _ticks = new long[300];

    public override void Run(int operations) => Task.Run(() => Loop(operations)).GetAwaiter().GetResult();

    public override double Measure()
    {
        Run(WarmUpOperations);
        Task.Run(Time).GetAwaiter().GetResult();
        Array.Sort(_ticks);
        return _ticks[_ticks.Length / 2] * (1e9 / Stopwatch.Frequency);
    }

    /// <summary>What so many allocate, on all threads, once the flow is under way.</summary>
    public long AllocatedBytes(int operations) => Task.Run(async () =>
    {
        await Loop(operations);
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await Loop(operations);
        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }).GetAwaiter().GetResult();

    /// <summary>To be awaited once, at once.</summary>
    protected abstract Task Submit();

    private async Task Loop(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            await Submit();
        }
    }

    private async Task Time()
    {
        long last = Stopwatch.GetTimestamp();
        for (int i = 0; i < _ticks.Length; i++)
        {
            await Submit();
            long now = Stopwatch.GetTimestamp();
            _ticks[i] = now - last;
            last = now;
        }
    }
}
