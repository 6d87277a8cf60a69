using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Picollo.Metrics;

namespace Picollo.Scheduling;

/// <summary>A slice, for the instruments, which record it outside of the lock. Times are ticks; no task for nothing to report.</summary>
internal readonly record struct SliceReport(CpuTask? Task, long Waited, long Length, long? Overrun);

/// <summary>Statistics of a <see cref="CpuWorkerPool"/> since its creation. Live; any thread may read each member at any time.</summary>
/// <remarks>
/// <para>Histograms have a relative error of 0.01 and hold nanoseconds. They are recorded when a slice ends: tasks that still wait or run
/// are not in them.</para>
/// <para>Reading a histogram, <see cref="Completed"/>, <see cref="Failed"/> or <see cref="Canceled"/> takes no lock.
/// <see cref="Submitted"/>, <see cref="Waiting"/>, <see cref="GetRunning"/> and <see cref="GetOverrunByTask"/> take the pool's lock, for
/// less than a microsecond unless there are many names; the last two allocate what they return.</para>
/// <para>The <see cref="System.Diagnostics.Metrics.Meter"/> "Picollo.Scheduling" has the same values as histograms in seconds:
/// <c>picollo.cpu_worker.queue.duration</c>, <c>picollo.cpu_worker.slice.duration</c> and <c>picollo.cpu_worker.overrun.duration</c>, all
/// with the tag <c>picollo.cpu_worker.pool.name</c>, and overruns with <c>picollo.cpu_worker.task.name</c>. Listeners are called on the
/// workers; their exceptions are ignored. An instrument at whose publication a listener throws is not available in this process.</para>
/// </remarks>
public sealed class CpuWorkerStatistics
{
    /// <summary>Maximum number of names with their own histogram; other names share <see cref="OtherTasks"/>.</summary>
    internal const int MaxTaskNames = 256;

    /// <summary>The name for the overruns of tasks that came after the first <see cref="MaxTaskNames"/> names.</summary>
    internal const string OtherTasks = "(other)";

    private readonly CpuScheduler _scheduler;
    private readonly PlainHdrHistogram<uint> _queueWait = CreateHistogram();
    private readonly PlainHdrHistogram<uint> _sliceLength = CreateHistogram();
    private readonly PlainHdrHistogram<uint> _overrun = CreateHistogram();
    private readonly Dictionary<string, PlainHdrHistogram<uint>> _overrunByTask = [];

    internal CpuWorkerStatistics(CpuScheduler scheduler) => _scheduler = scheduler;

    /// <summary>Time that tasks waited for a worker before each slice, in nanoseconds; 0 where no other task wanted it.</summary>
    public ReadOnlyHdrHistogram QueueWait => _queueWait;

    /// <summary>Length of the slices: the time that a task had a worker without a break, in nanoseconds.</summary>
    public ReadOnlyHdrHistogram SliceLength => _sliceLength;

    /// <summary>Time from the request to a task to give up its worker to its next checkpoint, or its end, in nanoseconds. A task with long
    /// overruns does not call its checkpoints often enough; <see cref="GetOverrunByTask"/> names it.</summary>
    public ReadOnlyHdrHistogram Overrun => _overrun;

    /// <summary>Number of submitted tasks: ended, waiting, running, or awaiting something else.</summary>
    public long Submitted => _scheduler.CountSubmitted();

    /// <summary>Number of tasks that ran to their end.</summary>
    public long Completed { get; private set; }

    /// <summary>Number of tasks that ended with an exception.</summary>
    public long Failed { get; private set; }

    /// <summary>Number of tasks that were cancelled, before or while they ran. Tasks cancelled before their submission are not
    /// counted.</summary>
    public long Canceled { get; internal set; }

    /// <summary>Number of tasks that wait for a worker now.</summary>
    public int Waiting => _scheduler.CountWaiting();

    /// <summary>Number of workers whose bodies block them now, so that others run in their place.</summary>
    public int Blocked => _scheduler.CountBlocked();

    /// <summary>Number of threads that have a worker now beyond <see cref="CpuWorkerPool.WorkerCount"/>, for those that are
    /// blocked.</summary>
    public int ExtraThreads => _scheduler.CountExtraThreads();

    /// <summary>Gets the tasks that run now, at most <see cref="CpuWorkerPool.WorkerCount"/>. A task that never comes to a checkpoint is
    /// among them.</summary>
    /// <returns>The tasks, worker by worker.</returns>
    public IReadOnlyList<CpuRunningTask> GetRunning() => _scheduler.GetRunning();

    /// <summary>Gets <see cref="Overrun"/> by the tasks' names. The first 256 names have their own histogram; the others share that of the
    /// name <c>(other)</c>.</summary>
    /// <returns>A new dictionary of live histograms.</returns>
    public IReadOnlyDictionary<string, ReadOnlyHdrHistogram> GetOverrunByTask() =>
        _scheduler.Read(() => _overrunByTask.ToDictionary(task => task.Key, task => (ReadOnlyHdrHistogram)task.Value));

    /// <summary>Runs the code of the end of a slice once: the runtime takes 20 ms to compile it and to make the instruments, which would
    /// count as the first task's.</summary>
    internal static void WarmUp(CpuScheduler scheduler)
    {
        var unused = new CpuWorkerStatistics(scheduler);
        unused.Add(default);
        unused.HistogramOf(BodyName.Of(WarmUp)).Record(0);
        RuntimeHelpers.RunClassConstructor(typeof(CpuWorkerMetrics).TypeHandle);
    }

    // ---- Under the scheduler's lock, which makes one writer of all threads ----

    internal void Add(in SliceReport slice)
    {
        _queueWait.Record(NanoScope.TicksToNanos(slice.Waited));
        _sliceLength.Record(NanoScope.TicksToNanos(slice.Length));
        if (slice.Overrun is { } ticks)
        {
            ulong overrun = NanoScope.TicksToNanos(ticks);
            _overrun.Record(overrun);
            HistogramOf(slice.Task!.Name).Record(overrun);
        }
    }

    internal void CountEnd(CpuTask task)
    {
        switch (task.Outcome)
        {
            case TaskStatus.RanToCompletion: Completed++; break;
            case TaskStatus.Canceled: Canceled++; break;
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
        bool hasRoom = _overrunByTask.Count < MaxTaskNames || _overrunByTask.ContainsKey(task);
        return CollectionsMarshal.GetValueRefOrAddDefault(_overrunByTask, hasRoom ? task : OtherTasks, out _) ??= CreateHistogram();
    }

    private static PlainHdrHistogram<uint> CreateHistogram() => HdrHistogram.Owned(HdrHistogram.Factory.WithRelativeError(0.01).Create());
}

/// <summary>A task that runs now. Immutable; equal if all values are.</summary>
public readonly record struct CpuRunningTask
{
    internal CpuRunningTask(string name, TimeSpan sliceLength, TimeSpan overrun) =>
        (Name, SliceLength, Overrun) = (name, sliceLength, overrun);

    /// <summary>The task's name.</summary>
    public string Name { get; }

    /// <summary>Time since it got its worker.</summary>
    public TimeSpan SliceLength { get; }

    /// <summary>Time since it was asked to give up its worker; zero if it was not.</summary>
    public TimeSpan Overrun { get; }
}
