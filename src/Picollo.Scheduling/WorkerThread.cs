using System.Diagnostics;
using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Scheduling;

/// <summary>A thread of the pool.</summary>
internal sealed class WorkerThread(CpuScheduler scheduler, WorkerSlot? slot, int number)
{
    /// <summary>How long an idle thread looks for work before it sleeps, in which time a task begins in some 0.1 µs instead of 5 to 50.
    /// Not at all on a machine with one processor.</summary>
    public const double SpinMicroseconds = 20;

    private static readonly long SpinTicks =
        Environment.ProcessorCount > 1 ? (long)(SpinMicroseconds * Stopwatch.Frequency / 1e6) : 0;

    /// <summary>From one look to the next takes 50 ns; a thread that has lost its processor misses it for longer than this.</summary>
    private static readonly long LongestGapTicks = (long)(2 * Stopwatch.Frequency / 1e6);

    [ThreadStatic]
    private static WorkerThread? _current;

    private readonly Sleep _sleep = new();

    // What the thread itself knows.
    private bool _isSpare = slot is null;

    // The thread's CPU time at the begin of the slice, in nanoseconds.
    private long _cpuAtStart;

    /// <summary>The calling thread, if it is one.</summary>
    public static WorkerThread? Current => _current;

    /// <summary>What flows with tasks of callers that have suppressed the flow: nothing.</summary>
    public static ExecutionContext? EmptyFlow { get; private set; }

    /// <summary>Where the thread works; null for a spare or stopped one. Others set it, and wake the thread, only after it has left the
    /// last; it does not look before the wake, so that each wake ends one wait.</summary>
    public WorkerSlot? Slot { get; set; } = slot;

    /// <summary>The next of those that have nothing to do. Changes under the scheduler's lock.</summary>
    public WorkerThread? NextIdle { get; set; }

    public void Start() =>
        // Without the flow of whoever makes the pool.
        new Thread(Run) { IsBackground = true, Name = $"{scheduler.Name} {number}" }.UnsafeStart();

    /// <summary>Lets the thread go on, or not sleep at all.</summary>
    public void Wake() => _sleep.Wake();

    /// <summary>Gives the worker up, for <see cref="WaitForWorker"/> to follow; by the thread itself, under the scheduler's lock.</summary>
    public void LeaveWorker()
    {
        Slot = null;
        _isSpare = true;
    }

    /// <summary>Returns when the thread was given a worker, or the pool ends; by the thread itself.</summary>
    public void WaitForWorker()
    {
        _sleep.Wait();
        _isSpare = false;
        _cpuAtStart = CpuUsageReader.GetThreadTime();
    }

    /// <summary>Adds what has passed of the thread's CPU time to a task that it has left; another begins now.</summary>
    public void Charge(CpuTask left)
    {
        long cpu = CpuUsageReader.GetThreadTime();
        left.Charge(SliceCpu(cpu));
        _cpuAtStart = cpu;
    }

    /// <summary>The CPU time of the slice at hand, in nanoseconds; by the thread itself.</summary>
    public long GetSliceCpu() => SliceCpu(CpuUsageReader.GetThreadTime());

    // What WaitForTask takes for CPU time may be a little more than it was.
    private long SliceCpu(long now) => Math.Max(0, now - _cpuAtStart);

    private void Run()
    {
        _current = this;
        EmptyFlow ??= ExecutionContext.Capture();
        _cpuAtStart = CpuUsageReader.GetThreadTime();
        while (!scheduler.HasEnded)
        {
            if (_isSpare)
            {
                WaitForWorker();
                continue;
            }

            CpuTask? task = Step();
            if (task is null && !_isSpare)
            {
                task = WaitForTask();
            }

            task?.Run(Slot!.Continuation);
        }
    }

    private CpuTask? Step()
    {
        CpuTask? next = scheduler.Next(this, out CpuTask? left, out bool hasEnded, out SliceReport report);
        if (left is not null)
        {
            // Whoever awaits it goes on first: reading the clock takes half as long as all the rest.
            if (hasEnded)
            {
                scheduler.Conclude(left);
            }

            Charge(left);
        }

        // Also of a task that goes on.
        scheduler.Statistics.Publish(report);
        return next;
    }

    /// <summary>An idle thread looks before it sleeps. What it then takes of CPU time is the time that passes, unless it loses the
    /// processor, so that the clock need not be read while a task waits for it.</summary>
    /// <returns>Null at the end of the pool.</returns>
    private CpuTask? WaitForTask()
    {
        long start = Stopwatch.GetTimestamp();
        long? seen = _sleep.SpinAndWait(SpinTicks, LongestGapTicks);
        _cpuAtStart = seen is { } steady ? _cpuAtStart + (long)NanoScope.TicksToNanos(steady - start) : CpuUsageReader.GetThreadTime();
        if (Slot!.Task is { } task)
        {
            Slot.BeginAt(seen ?? Stopwatch.GetTimestamp());
            return task;
        }

        return null;
    }
}
