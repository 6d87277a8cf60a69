using Picollo.Metrics;

namespace Picollo.Scheduling;

/// <summary>A slice to record in the instruments, outside the lock. Times are in ticks. The task is null if there is nothing to
/// report.</summary>
internal readonly record struct SliceReport(CpuTask? Task, long Waited, long Length, long? Overrun);

/// <summary>The live statistics of a <see cref="CpuWorkerPool"/> since its creation. All members are thread-safe.</summary>
/// <remarks>
/// <para>Histograms have a relative error of 0.01 and contain nanoseconds. Values are recorded when a slice ends, so histograms do not
/// include current waits and slices.</para>
/// <para>Reading a histogram, <see cref="CompletedCount"/>, <see cref="FailedCount"/> or <see cref="CanceledCount"/> takes no lock.
/// <see cref="SubmittedCount"/>, <see cref="WaitingCount"/>, <see cref="GetRunningTasks"/> and <see cref="GetOverrunsByTask"/> take the
/// pool's lock, for less than a microsecond unless there are many names. The last two allocate their results.</para>
/// <para>The <see cref="System.Diagnostics.Metrics.Meter"/> "Picollo.Scheduling" provides the same values as histograms in seconds:
/// <c>picollo.cpu_worker.queue.duration</c>, <c>picollo.cpu_worker.slice.duration</c> and <c>picollo.cpu_worker.overrun.duration</c>. All
/// of them have the tag <c>picollo.cpu_worker.pool.name</c>, and overruns also have <c>picollo.cpu_worker.task.name</c>. Listeners are
/// called on the workers, and their exceptions are ignored. If a listener throws when an instrument is published, the instrument is not
/// available in this process.</para>
/// </remarks>
public sealed class CpuWorkerStatistics
{
    /// <summary>The maximum number of names with their own histogram. Further names share <see cref="OtherTasks"/>.</summary>
    internal const int MaxTaskNames = 256;

    /// <summary>The name for the overruns of tasks beyond the first <see cref="MaxTaskNames"/> names.</summary>
    internal const string OtherTasks = "(other)";

    private readonly CpuScheduler _scheduler;
    private PlainHdrHistogram<uint> _queueWaits = CreateHistogram();
    private PlainHdrHistogram<uint> _sliceLengths = CreateHistogram();
    private PlainHdrHistogram<uint> _overruns = CreateHistogram();
    private readonly Dictionary<string, PlainHdrHistogram<uint>> _overrunsByTask = [];

    internal CpuWorkerStatistics(CpuScheduler scheduler) => _scheduler = scheduler;

    /// <summary>The time that tasks waited for a worker before each slice, in nanoseconds; 0 if a task did not have to wait.</summary>
    public ReadOnlyHdrHistogram QueueWaits => _queueWaits;

    /// <summary>The length of the slices, which is the time that a task had a worker without interruption, in nanoseconds.</summary>
    public ReadOnlyHdrHistogram SliceLengths => _sliceLengths;

    /// <summary>The time from the request to yield the worker to the task's next checkpoint or its end, in nanoseconds. A task with long
    /// overruns does not call its checkpoints often enough. <see cref="GetOverrunsByTask"/> returns its name.</summary>
    public ReadOnlyHdrHistogram Overruns => _overruns;

    /// <summary>The number of submitted tasks, including ended tasks.</summary>
    public long SubmittedCount => _scheduler.CountSubmitted();

    /// <summary>The number of tasks that ended without an exception.</summary>
    public long CompletedCount { get; private set; }

    /// <summary>The number of tasks that ended with an exception.</summary>
    public long FailedCount { get; private set; }

    /// <summary>The number of tasks that were canceled before or while they ran. Tasks that were canceled before their submission are not
    /// counted.</summary>
    public long CanceledCount { get; internal set; }

    /// <summary>The number of tasks that are waiting for a worker.</summary>
    public int WaitingCount => _scheduler.CountWaiting();

    /// <summary>The number of workers that are blocked by their bodies, so that other bodies run in their place.</summary>
    public int BlockedCount => _scheduler.CountBlocked();

    /// <summary>The number of threads beyond <see cref="CpuWorkerPool.WorkerCount"/> that have a worker, in place of blocked
    /// ones.</summary>
    public int ExtraThreadCount => _scheduler.CountExtraThreads();

    /// <summary>Returns the running tasks, at most <see cref="CpuWorkerPool.WorkerCount"/>. They include tasks that never reach a
    /// checkpoint.</summary>
    /// <returns>The tasks in the order of their workers.</returns>
    public IReadOnlyList<CpuRunningTask> GetRunningTasks() => _scheduler.GetRunning();

    /// <summary>Returns <see cref="Overruns"/> by the names of the tasks. The first 256 names have their own histogram. Further names share
    /// the histogram of the name <c>(other)</c>.</summary>
    /// <returns>A new dictionary of live histograms.</returns>
    public IReadOnlyDictionary<string, ReadOnlyHdrHistogram> GetOverrunsByTask() =>
        _scheduler.Read(() => _overrunsByTask.ToDictionary(task => task.Key, task => (ReadOnlyHdrHistogram)task.Value));

    /// <summary>Runs the code for the end of a slice once. The runtime takes 20 ms to compile it and to create the instruments, which would
    /// otherwise be counted for the first task.</summary>
    internal static void WarmUp(CpuScheduler scheduler)
    {
        var unused = new CpuWorkerStatistics(scheduler);
        unused.Add(default);
        unused.HistogramOf(BodyName.FromDelegate(WarmUp)).Record(0);
        RuntimeHelpers.RunClassConstructor(typeof(CpuWorkerMetrics).TypeHandle);
    }

    // ---- Under the scheduler's lock, so that there is one writer at a time ----

    internal void Add(in SliceReport slice)
    {
        try
        {
            _queueWaits.Record(NanoScope.TicksToNanos(slice.Waited));
            _sliceLengths.Record(NanoScope.TicksToNanos(slice.Length));
            if (slice.Overrun is { } ticks)
            {
                ulong overrun = NanoScope.TicksToNanos(ticks);
                _overruns.Record(overrun);
                HistogramOf(slice.Task!.Name).Record(overrun);
            }
        }
        catch (ObjectDisposedException)
        {
            // The application has cast a histogram and disposed it. The exception would end the process.
            (_queueWaits, _sliceLengths, _overruns) = (CreateHistogram(), CreateHistogram(), CreateHistogram());
            _overrunsByTask.Clear();
        }
    }

    internal void CountEnd(CpuTask task)
    {
        switch (task.Outcome)
        {
            case TaskStatus.RanToCompletion: CompletedCount++; break;
            case TaskStatus.Canceled: CanceledCount++; break;
            default: FailedCount++; break;
        }
    }

    /// <summary>Records a report in the instruments. Called outside the lock, because listeners are the application's code.</summary>
    internal void Publish(in SliceReport report)
    {
        if (report.Task is not null)
        {
            CpuWorkerMetrics.Record(_scheduler.Name, report);
        }
    }

    private PlainHdrHistogram<uint> HistogramOf(string task)
    {
        bool hasRoom = _overrunsByTask.Count < MaxTaskNames || _overrunsByTask.ContainsKey(task);
        return CollectionsMarshal.GetValueRefOrAddDefault(_overrunsByTask, hasRoom ? task : OtherTasks, out _) ??= CreateHistogram();
    }

    private static PlainHdrHistogram<uint> CreateHistogram() => HdrHistogram.Factory.WithRelativeError(0.01).Create();
}

/// <summary>A running task at the time of a call. Immutable, with value equality.</summary>
public readonly record struct CpuRunningTask
{
    internal CpuRunningTask(string name, TimeSpan sliceLength, TimeSpan overrun) =>
        (Name, SliceLength, Overrun) = (name, sliceLength, overrun);

    /// <summary>The task's name.</summary>
    public string Name { get; }

    /// <summary>The time since the task got its worker.</summary>
    public TimeSpan SliceLength { get; }

    /// <summary>The time since the task was asked to yield its worker; zero if it was not asked.</summary>
    public TimeSpan Overrun { get; }
}
