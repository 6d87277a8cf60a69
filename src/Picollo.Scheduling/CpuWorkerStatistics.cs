using Picollo.Metrics;

namespace Picollo.Scheduling;

/// <summary>What happened to a slice, for the instruments, which are told outside of the lock.</summary>
internal readonly record struct SliceReport(string? Task, long Waited, long Length, long? Overrun);

/// <summary>What a <see cref="CpuWorkerPool"/> has done since it was made. Live; may be read by any thread at any time, each member by
/// itself.</summary>
/// <remarks>
/// <para>Histograms have a relative error of 0.01 and hold nanoseconds; snapshots and deltas are theirs
/// (<see cref="ReadOnlyHdrHistogram"/>). They are recorded when a slice ends: what still waits or runs is not in them.</para>
/// <para>Reading a histogram, <see cref="Completed"/>, <see cref="Failed"/> or <see cref="Cancelled"/> stops nobody.
/// <see cref="Submitted"/>, <see cref="Waiting"/>, <see cref="GetRunning"/> and <see cref="GetOverrunByTask"/> take the pool's lock, for
/// less than a microsecond but for those of many names; the last two allocate what they return.</para>
/// <para>The same goes to the <see cref="System.Diagnostics.Metrics.Meter"/> "Picollo.Scheduling", as histograms in seconds:
/// <c>picollo.cpu_worker.queue.duration</c>, <c>picollo.cpu_worker.slice.duration</c> and <c>picollo.cpu_worker.overrun.duration</c>, all
/// with the tag <c>picollo.cpu_worker.pool.name</c>, and overruns with <c>picollo.cpu_worker.task.name</c>. Listeners are called on the
/// workers; their exceptions are dropped.</para>
/// </remarks>
public sealed class CpuWorkerStatistics
{
    /// <summary>So many names have a histogram of their own; the others share <see cref="OtherTasks"/>.</summary>
    public const int MaxTaskNames = 256;

    /// <summary>The name under which the overruns stand of tasks that came after the first <see cref="MaxTaskNames"/> names.</summary>
    public const string OtherTasks = "(other)";

    private readonly CpuScheduler _scheduler;
    private readonly PlainHdrHistogram<uint> _queueWait = CreateHistogram();
    private readonly PlainHdrHistogram<uint> _sliceLength = CreateHistogram();
    private readonly PlainHdrHistogram<uint> _overrun = CreateHistogram();
    private readonly Dictionary<string, PlainHdrHistogram<uint>> _overrunByTask = [];

    internal CpuWorkerStatistics(CpuScheduler scheduler) => _scheduler = scheduler;

    /// <summary>How long tasks waited for a worker: each before its first slice, and whenever it came back or was set aside.
    /// Nanoseconds.</summary>
    public ReadOnlyHdrHistogram QueueWait => _queueWait;

    /// <summary>How long tasks had a worker at a stretch. Nanoseconds.</summary>
    public ReadOnlyHdrHistogram SliceLength => _sliceLength;

    /// <summary>From the moment that a task was asked to give up its worker to its next checkpoint, or its end. Nanoseconds. What is
    /// long here does not call its checkpoints often enough; <see cref="GetOverrunByTask"/> names it.</summary>
    public ReadOnlyHdrHistogram Overrun => _overrun;

    /// <summary>Tasks taken up: those that have ended, those that wait or run, and those that await something else.</summary>
    public long Submitted => _scheduler.CountSubmitted();

    /// <summary>Tasks that ran to their end.</summary>
    public long Completed { get; private set; }

    /// <summary>Tasks that ended with an exception.</summary>
    public long Failed { get; private set; }

    /// <summary>Tasks that were cancelled, before or while they ran. Those that were cancelled before they were submitted count
    /// nowhere.</summary>
    public long Cancelled { get; internal set; }

    /// <summary>Tasks that wait for a worker now.</summary>
    public int Waiting => _scheduler.CountWaiting();

    /// <summary>The tasks that run now, <see cref="CpuWorkerPool.WorkerCount"/> at the most: whoever never comes to a checkpoint stands
    /// here.</summary>
    /// <returns>Worker by worker.</returns>
    public IReadOnlyList<CpuRunningTask> GetRunning() => _scheduler.GetRunning();

    /// <summary><see cref="Overrun"/> by the tasks' names.</summary>
    /// <returns>A new dictionary of live histograms.</returns>
    public IReadOnlyDictionary<string, ReadOnlyHdrHistogram> GetOverrunByTask() =>
        _scheduler.Read(() => _overrunByTask.ToDictionary(task => task.Key, task => (ReadOnlyHdrHistogram)task.Value));

    // ---- Under the scheduler's lock, which makes one writer of all threads ----

    internal void Add(in SliceReport slice)
    {
        _queueWait.Record(NanoScope.TicksToNanos(slice.Waited));
        _sliceLength.Record(NanoScope.TicksToNanos(slice.Length));
        if (slice.Overrun is { } ticks)
        {
            ulong overrun = NanoScope.TicksToNanos(ticks);
            _overrun.Record(overrun);
            HistogramOf(slice.Task!).Record(overrun);
        }
    }

    internal void CountEnd(CpuTask task)
    {
        switch (task.Outcome)
        {
            case TaskStatus.RanToCompletion: Completed++; break;
            case TaskStatus.Canceled: Cancelled++; break;
            default: Failed++; break;
        }
    }

    /// <summary>Records a report in the instruments. Called outside of the lock, because listeners are the application's code.</summary>
    internal void Publish(in SliceReport report)
    {
        if (report.Task is not null)
        {
            CpuWorkerMetrics.Record(_scheduler.Name, report);
        }
    }

    private PlainHdrHistogram<uint> HistogramOf(string task)
    {
        if (!_overrunByTask.TryGetValue(task, out PlainHdrHistogram<uint>? histogram))
        {
            if (_overrunByTask.Count >= MaxTaskNames)
            {
                task = OtherTasks;
            }

            if (!_overrunByTask.TryGetValue(task, out histogram))
            {
                _overrunByTask.Add(task, histogram = CreateHistogram());
            }
        }

        return histogram;
    }

    private static PlainHdrHistogram<uint> CreateHistogram() => HdrHistogram.Factory.WithRelativeError(0.01).Create();
}
