using System.Diagnostics;
using System.Runtime.CompilerServices;
using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Scheduling;

/// <summary>A thread of the pool.</summary>
internal sealed class WorkerThread(CpuScheduler scheduler, WorkerSlot? slot, int number)
{
    /// <summary>How long an idle thread looks for work before it sleeps: until then a task starts in some 0.1 µs instead of 5 to 50.
    /// Zero on a machine with one processor.</summary>
    public const double SpinMicroseconds = 20;

    private static readonly long SpinTicks =
        Environment.ProcessorCount > 1 ? (long)(SpinMicroseconds * Stopwatch.Frequency / 1e6) : 0;

    /// <summary>From one look to the next takes 50 ns; a thread that has lost its processor misses it for longer than this.</summary>
    private static readonly long LongestGapTicks = (long)(2 * Stopwatch.Frequency / 1e6);

    [ThreadStatic]
    private static WorkerThread? _current;

    private readonly Sleep _sleep = new();

    private bool _isSpare = slot is null;
    private long _cpuAtStart; // the thread's CPU time at the start of the slice, in nanoseconds

    /// <summary>The calling thread; null if it is not a worker thread.</summary>
    public static WorkerThread? Current => _current;

    /// <summary>The empty context, for tasks of callers that have suppressed the flow.</summary>
    public static ExecutionContext? EmptyFlow { get; private set; }

    /// <summary>The thread's worker; null for a spare or stopped thread. Other threads set it, and then wake the thread, only after it has
    /// left the last one. The thread does not look before the wake, so that each wake ends one wait.</summary>
    public WorkerSlot? Slot { get; set; } = slot;

    /// <summary>The next idle thread. Changes under the scheduler's lock.</summary>
    public WorkerThread? NextIdle { get; set; }

    public void Start(Action<Thread> start) =>
        start(new Thread(Run) { IsBackground = true, Name = $"{scheduler.Name} {number}" });

    public void Wake() => _sleep.Wake();

    /// <summary>Gives the worker up, before <see cref="WaitForWorker"/>; called by the thread itself, under the scheduler's lock.</summary>
    public void LeaveWorker()
    {
        Slot = null;
        _isSpare = true;
    }

    /// <summary>Waits for a worker, or the end of the pool; called by the thread itself.</summary>
    public void WaitForWorker()
    {
        _sleep.Wait();
        _isSpare = false;
        _cpuAtStart = CpuUsageReader.GetThreadTimeNanoseconds();
    }

    /// <summary>Charges the CPU time of the slice to a task that the thread has left, and starts the next slice's.</summary>
    public void Charge(CpuTask left)
    {
        long cpu = CpuUsageReader.GetThreadTimeNanoseconds();
        left.Charge(SliceCpu(cpu));
        _cpuAtStart = cpu;
    }

    /// <summary>The CPU time of the current slice, in nanoseconds; called by the thread itself.</summary>
    public long GetSliceCpu() => SliceCpu(CpuUsageReader.GetThreadTimeNanoseconds());

    // What WaitForTask takes for CPU time may be a little more than it was.
    private long SliceCpu(long now) => Math.Max(0, now - _cpuAtStart);

    private void Run()
    {
        _current = this;
        EmptyFlow ??= ExecutionContext.Capture();
        _cpuAtStart = CpuUsageReader.GetThreadTimeNanoseconds();
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

            task?.Run(Slot!);
        }
    }

    // Inlined, its out variables would keep the last task alive in the frame of an idle thread.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private CpuTask? Step()
    {
        CpuTask? next = scheduler.Next(this, out CpuTask? left, out bool hasEnded, out SliceReport report);
        if (left is not null)
        {
            // The caller goes on first: reading the clock takes half as long as all the rest.
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

    /// <summary>Looks for a task before it sleeps. The CPU time of looking is taken as the time that passes, unless the thread loses the
    /// processor, so that the CPU clock is not read while a task waits.</summary>
    /// <returns>Null at the end of the pool.</returns>
    private CpuTask? WaitForTask()
    {
        long start = Stopwatch.GetTimestamp();
        long? seen = _sleep.SpinAndWait(SpinTicks, LongestGapTicks);
        _cpuAtStart = seen is { } steady
            ? _cpuAtStart + (long)NanoScope.TicksToNanos(steady - start)
            : CpuUsageReader.GetThreadTimeNanoseconds();
        if (Slot!.Task is { } task)
        {
            Slot.BeginAt(seen ?? Stopwatch.GetTimestamp());
            return task;
        }

        return null;
    }
}
