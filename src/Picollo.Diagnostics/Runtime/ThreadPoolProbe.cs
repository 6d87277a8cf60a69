using Picollo.Metrics;

namespace Picollo.Diagnostics.Runtime;

/// <summary>Measures how long work waits for a thread-pool thread, with one work item at a time.</summary>
/// <remarks>
/// At each tick of a fixed interval, an item is queued unless the last one is still waiting. In that case, the age of the last one is
/// recorded. A wait of one second is therefore recorded as 20 ms, 40 ms, … and one second, as if an item had been queued at each tick (no
/// coordinated omission), and a pool that runs nothing is visible immediately.
/// </remarks>
internal sealed class ThreadPoolProbe : IThreadPoolWorkItem
{
    public const string Name = "dotnet.thread_pool.work_item.delay";

    public static readonly HdrHistogramDescription Description = HdrHistogramDescription.Nanoseconds with
    {
        Help = "Time that a work item waited in the queue of the thread pool, sampled at a fixed interval.",
    };

    // 50 items per second take 0.05 % of a processor, and a burst of a tenth of a second is sampled five times.
    public static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(20);

    private const long NotQueued = -1;

    private readonly HdrHistogram _delays;
    private readonly TimeProvider _time;
    private readonly Action<IThreadPoolWorkItem> _queue;
    private long _queuedAt = NotQueued;

    /// <param name="delays">The histogram of delays, in nanoseconds. Several threads record into it.</param>
    /// <param name="time">The clock.</param>
    /// <param name="queue">Queues the item to the pool.</param>
    public ThreadPoolProbe(HdrHistogram delays, TimeProvider time, Action<IThreadPoolWorkItem> queue) =>
        (_delays, _time, _queue) = (delays, time, queue);

    public void Tick()
    {
        long queuedAt = Volatile.Read(ref _queuedAt);
        if (queuedAt != NotQueued)
        {
            Record(queuedAt);
            return;
        }

        Volatile.Write(ref _queuedAt, _time.GetTimestamp());
        _queue(this);
    }

    /// <summary>Runs on a thread of the pool.</summary>
    public void Execute()
    {
        Record(_queuedAt);
        Volatile.Write(ref _queuedAt, NotQueued);
    }

    private void Record(long queuedAt) => _delays.Record((ulong)(_time.GetElapsedTime(queuedAt).Ticks * TimeSpan.NanosecondsPerTick));
}
