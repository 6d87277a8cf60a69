using System.Diagnostics;
using Picollo.Metrics;
using Picollo.Samples.CpuWorker.Serving;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>Clients, of whom each submits its next task when it has its answer, until they are told to stop.</summary>
internal static class ClosedLoop
{
    public static InterlockedHdrHistogram<uint> CreateHistogram() => HdrHistogram.Factory.WithRelativeError(0.001).WithInterlocked().Create();

    /// <param name="clients">How many.</param>
    /// <param name="cap">What they go through.</param>
    /// <param name="work">What they want done.</param>
    /// <param name="latencies">To be filled, in nanoseconds; tasks that a stop interrupts do not count.</param>
    /// <param name="stop">Ends it all.</param>
    public static Task Run(int clients, Cap cap, ChecksumTask work, InterlockedHdrHistogram<uint> latencies, CancellationToken stop) =>
        Task.WhenAll(Enumerable.Range(0, clients).Select(_ => Task.Run(() => Client(cap, work, latencies, stop), CancellationToken.None)));

    private static async Task Client(Cap cap, ChecksumTask work, InterlockedHdrHistogram<uint> latencies, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            long start = Stopwatch.GetTimestamp();
            await cap.Run(work, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!stop.IsCancellationRequested)
            {
                latencies.Record(NanoScope.TicksToNanos(Stopwatch.GetTimestamp() - start));
            }
        }
    }
}
