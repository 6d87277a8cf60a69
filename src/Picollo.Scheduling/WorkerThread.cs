using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Scheduling;

internal sealed class WorkerThread
{
    /// <summary>The time that an idle thread looks for work before it sleeps. During this time, a task starts in about 0.1 µs instead of 5
    /// to 50 µs. Not used on a machine with one processor.</summary>
    public const double SpinMicroseconds = 20;

    private static readonly long SpinTicks =
        Environment.ProcessorCount > 1 ? (long)(SpinMicroseconds * Stopwatch.Frequency / 1e6) : 0;

    /// <summary>The maximum time between two checks of a spinning thread. A check takes 50 ns; a thread that loses its processor does not
    /// run for longer than this.</summary>
    private static readonly long LongestGapTicks = (long)(2 * Stopwatch.Frequency / 1e6);

    [ThreadStatic]
    private static WorkerThread? _current;

    private readonly CpuScheduler _scheduler;
    private readonly Thread _thread;
    private readonly Sleep _sleep = new();

    private bool _isSpare;
    private long _cpuAtStart; // the thread's CPU time at the start of the slice, in nanoseconds
    private long _id; // the thread ID of the operating system

    public WorkerThread(CpuScheduler scheduler, WorkerSlot? slot, int number)
    {
        _scheduler = scheduler;
        _thread = new Thread(Run) { IsBackground = true, Name = $"{scheduler.Name} {number}" };
        _isSpare = slot is null;
        if (slot is not null)
        {
            Take(slot);
        }
    }

    /// <summary>The calling thread; null if it is not a worker thread.</summary>
    public static WorkerThread? Current => _current;

    /// <summary>The empty execution context, for tasks of callers that have suppressed the flow.</summary>
    public static ExecutionContext? EmptyFlow { get; private set; }

    /// <summary>The thread's worker; null for a spare or stopped thread. Other threads set it, and then wake the thread, only after the
    /// thread has left its last worker. The thread does not read it before it is woken, so that each wake-up ends one wait.</summary>
    public WorkerSlot? Slot { get; set; }

    /// <summary>The next idle thread. Changes under the scheduler's lock.</summary>
    public WorkerThread? NextIdle { get; set; }

    /// <summary>Removes what code of the application may have left on the calling thread: a synchronization context, values of
    /// <see cref="AsyncLocal{T}"/>, and a pending interrupt. The interrupt is last, because a handler of changed values may cause
    /// one.</summary>
    public static void LeaveUserCode()
    {
        SynchronizationContext.SetSynchronizationContext(null);
        ExecutionContext.Restore(EmptyFlow!);
        _ = ThreadInterrupts.Clear();
    }

    public void Start(Action<Thread> start) => start(_thread);

    /// <summary>Gives the thread a worker. The caller then wakes the thread.</summary>
    public void Take(WorkerSlot slot)
    {
        Slot = slot;
        slot.Thread = this;
    }

    /// <summary>Returns the thread's CPU time, in nanoseconds, if the thread waits; null if it runs or can run, or if this is unknown.
    /// Called by other threads.</summary>
    public long? GetCpuTimeIfWaiting()
    {
        long id = Volatile.Read(ref _id);
        return id != 0 && CpuUsageReader.TryGetThreadTimeNanoseconds(id, out long cpu, out _) && IsWaiting(id) ? cpu : null;
    }

    // If /proc is unreadable, and on systems other than Linux, waits in native code are not detected.
    private bool IsWaiting(long id) => OperatingSystem.IsLinux() && ReadState(id) is { } state
        ? state != 'R'
        : (_thread.ThreadState & System.Threading.ThreadState.WaitSleepJoin) != 0;

    /// <summary>Reads the state of a thread of this process; null if it cannot be read. It follows the name, which may contain a
    /// parenthesis: <c>4711 (CPU worker 1) S 1 …</c> (proc_pid_stat(5)).</summary>
    private static char? ReadState(long id)
    {
        try
        {
            string stat = File.ReadAllText($"/proc/self/task/{id}/stat");
            return stat[stat.LastIndexOf(')') + 2];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    public void Wake() => _sleep.Wake();

    /// <summary>Gives up the worker, before <see cref="WaitForWorker"/>. Called by the thread itself, under the scheduler's lock.</summary>
    public void LeaveWorker()
    {
        Slot = null;
        _isSpare = true;
    }

    /// <summary>Waits for a worker, or for the end of the pool. Called by the thread itself.</summary>
    public void WaitForWorker()
    {
        _sleep.Wait();
        _isSpare = false;
        _cpuAtStart = CpuUsageReader.GetThreadTimeNanoseconds();
    }

    /// <summary>Charges the CPU time of the slice to a task that the thread has left, and starts measuring the next slice.</summary>
    public void Charge(CpuTask left)
    {
        long cpu = CpuUsageReader.GetThreadTimeNanoseconds();
        left.Charge(SliceCpu(cpu));
        _cpuAtStart = cpu;
    }

    /// <summary>Reverts changes that a body has made to the thread, as the thread pool does. Called by the thread itself.</summary>
    private void Reset()
    {
        if (_thread.Priority != ThreadPriority.Normal)
        {
            _thread.Priority = ThreadPriority.Normal;
        }

        if (!_thread.IsBackground)
        {
            _thread.IsBackground = true;
        }
    }

    /// <summary>Returns the CPU time of the current slice, in nanoseconds. Called by the thread itself.</summary>
    public long GetSliceCpu() => SliceCpu(CpuUsageReader.GetThreadTimeNanoseconds());

    // Not negative: the CPU time that WaitForTask estimates may be slightly higher than the actual one.
    private long SliceCpu(long now) => Math.Max(0, now - _cpuAtStart);

    private static long ReadId()
    {
        try
        {
            return CpuUsageReader.GetThreadId();
        }
        catch (MeasurementUnavailableException)
        {
            return 0; // The pool does not detect that this thread is blocked.
        }
    }

    private void Run()
    {
        _current = this;
        Volatile.Write(ref _id, ReadId());
        EmptyFlow ??= ExecutionContext.Capture();
        _cpuAtStart = CpuUsageReader.GetThreadTimeNanoseconds();
        while (!_scheduler.HasEnded)
        {
            if (_isSpare)
            {
                WaitForWorker();
                RunGivenTask();
                continue;
            }

            CpuTask? task = Step();
            if (task is null && !_isSpare)
            {
                task = WaitForTask();
            }

            if (task is not null)
            {
                RunStep(task, Slot!);
            }
        }
    }

    private void RunStep(CpuTask task, WorkerSlot slot)
    {
        task.Run(slot);
        _scheduler.AtSeam?.Invoke(Seam.StepEnded);
    }

    /// <summary>Runs the task of the thread's new worker, if it has one.</summary>
    private void RunGivenTask()
    {
        if (Slot is { Task: { } task } slot)
        {
            slot.BeginAt(Stopwatch.GetTimestamp());
            RunStep(task, slot);
        }
    }

    // Not inlined, because its out variables would keep the last task alive in the stack frame of an idle thread.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private CpuTask? Step()
    {
        CpuTask? next = _scheduler.Next(this, out CpuTask? left, out bool hasEnded, out SliceReport report);
        if (left is not null)
        {
            // Completes the task first, so that its caller can continue: reading the clock takes half as long as everything else.
            if (hasEnded)
            {
                _scheduler.Conclude(left);
            }

            Charge(left);
            Reset();
        }

        // A report exists even if the task continues.
        _scheduler.Statistics.Publish(report);
        if (CpuWorkerMetrics.HasListeners)
        {
            LeaveUserCode();
        }

        return next;
    }

    /// <summary>Looks for a task, and then sleeps until there is one. The CPU time of looking is assumed to be the elapsed time, unless the
    /// thread loses its processor, so that the CPU clock is not read while a task waits. Returns null at the end of the pool.</summary>
    private CpuTask? WaitForTask()
    {
        long start = Stopwatch.GetTimestamp();
        long? seen = _sleep.SpinAndWait(SpinTicks, LongestGapTicks);
        _cpuAtStart = seen is { } steady
            ? _cpuAtStart + (long)NanoScope.TicksToNanos(steady - start)
            : CpuUsageReader.GetThreadTimeNanoseconds();
        if (Slot?.Task is { } task)
        {
            Slot.BeginAt(seen ?? Stopwatch.GetTimestamp());
            return task;
        }

        return null;
    }
}
