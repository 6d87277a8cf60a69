using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using Picollo.Diagnostics.Linux;

namespace Picollo.Diagnostics;

/// <summary>Measures the wake-up latency of CPUs: one pinned thread each sleeps until a moment, and sees how much later it runs.</summary>
/// <remarks>
/// <para>The moments are one interval apart, whatever happens: after a late wake-up those that passed meanwhile are measured from their own
/// moments, none is skipped (no coordinated omission). So a wait of 10 ms at an interval of 1 ms shows as 10, 9, 8 ms and so on, and weighs
/// what it would have cost. Whatever keeps a thread from running shows: interrupts, other threads, a hypervisor, and a stop of the process
/// (SIGSTOP).</para>
/// <para>As on cyclictest and jitterdebugger, whose figures these are to be compared with: CLOCK_MONOTONIC, clock_nanosleep(2) until an
/// absolute time, SCHED_FIFO, and /dev/cpu_dma_latency held at 0, so that no CPU sleeps deeply. The loop is native code that runs from
/// start to end without the runtime: no collection of garbage stops it. It writes to locked memory, from which another thread, of ordinary
/// priority, takes the samples every 50 ms; that has 10 s to do so at intervals of 1 ms and above, and 131,072 samples at short ones,
/// before samples are lost (<see cref="CpuJitter.Lost"/>). Threads without SCHED_FIFO have the least timer slack (1 ns, where 50 µs
/// are usual).</para>
/// <para>What the system refuses and can be done without is in <see cref="UnavailableReasons"/>. Linux only. All members may be used by any
/// thread. Starting takes some milliseconds and, for each CPU, a thread and 0.3 to 1.3 MB; a wake-up costs its CPU some microseconds. A
/// meter that is not stopped goes on measuring, but does not keep the process from ending.</para>
/// <example>
/// <code>
/// await using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Duration = TimeSpan.FromSeconds(5) });
/// await meter.Completion;
/// foreach (CpuJitter cpu in meter.Cpus)
/// {
///     HdrHistogram latencies = cpu.Histogram;
///     (ulong p99, ulong max) = (latencies.GetPercentileValue(99), latencies.GetPercentileValue(100));
///     Console.WriteLine($"CPU {cpu.Cpu}: p99 {p99} ns, max {max} ns of {latencies.TotalCount}");
/// }
/// </code>
/// </example>
/// </remarks>
public sealed class JitterMeter : IDisposable, IAsyncDisposable
{
    // Short against what the rings hold, long against what it takes.
    private static readonly TimeSpan DrainInterval = TimeSpan.FromMilliseconds(50);
    private const int DrainsPerLook = 20;

    // Limit for measuring what is overdue at the end of the duration.
    private static readonly TimeSpan CatchUp = TimeSpan.FromSeconds(1);

    private readonly ReasonList _unavailableReasons;
    private readonly JitterLane[] _lanes;
    private readonly JitterTrace? _trace;
    private readonly IDisposable? _prepared;
    private readonly CountdownEvent _ended;
    private readonly Thread _drainer;
    private readonly Action<int, long, ReadOnlySpan<ulong>>? _samples;
    private readonly TimeSpan _duration; // of one interval at least
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();
    private bool _isOver; // guarded by the gate: the lanes' memory may be gone
    private int _breaks;
    private volatile JitterBreak? _break;
    private volatile Exception? _failure;

    private JitterMeter(IJitterSystem system, JitterMeterOptions options, JitterPlan plan, int[] cpus, out string? reason)
    {
        (_unavailableReasons, _samples) = (new ReasonList(), options.Samples);
        _duration = options.Duration is { } duration
            ? TimeSpan.FromTicks(Math.Max(duration.Ticks, options.Interval.Ticks))
            : TimeSpan.MaxValue;
        _ended = new CountdownEvent(cpus.Length);
        _drainer = new Thread(Drain) { IsBackground = true, Name = "Picollo jitter" };
        // Left to the collector: it is unknown when the last thread is done with them.
        CountdownEvent ready = new(cpus.Length);
        ManualResetEventSlim go = new(false, spinCount: 0); // spinning at a real-time priority would keep off the awaited thread
        bool isAbandoned = true;
        JitterLane.Start start = new(options.Priority, _unavailableReasons, ready, go, () => isAbandoned, OnBreak, _ended);
        List<JitterLane> lanes = [];
        try
        {
            _prepared = system.Prepare(_unavailableReasons);
            _trace = options.BreakAbove is null ? null : system.OpenTrace();
            foreach (int cpu in cpus)
            {
                JitterRing ring = new(system, plan, _unavailableReasons);
                lanes.Add(new JitterLane(cpu, system, ring) { Samples = _samples is null ? null : Give });
            }

            lanes.ForEach(lane => lane.Begin(start));
            ready.Wait();
            _lanes = [.. lanes];
            Priority = lanes.TrueForAll(lane => lane.Priority is not null) ? options.Priority : null;
            Cpus = [.. lanes.Select(lane => lane.Jitter = new CpuJitter(lane.Cpu, lane.ThreadId))];
            reason = lanes.Find(lane => lane.UnavailableReason is not null)?.UnavailableReason;
            if (reason is null)
            {
                StartTime = DateTimeOffset.UtcNow;
                _drainer.Start();
                isAbandoned = false;
            }
        }
        finally
        {
            go.Set();
            if (isAbandoned)
            {
                lanes.ForEach(lane => lane.Dispose());
                _trace?.Dispose();
                _prepared?.Dispose();
            }
        }
    }

    /// <summary>One for each measured CPU, in ascending order.</summary>
    public IReadOnlyList<CpuJitter> Cpus { get; }

    /// <summary>The real-time priority of the threads that measure (<see cref="JitterMeterOptions.Priority"/>); null for none, also if the
    /// system has refused it to one of them.</summary>
    public int? Priority { get; }

    /// <summary>What is not as asked, or as good as it could be, with cause and remedy, a sentence or two each: real-time priority not
    /// permitted, /dev/cpu_dma_latency not writable, memory not locked, no native library (a collection of this process's garbage then
    /// shows as latency), a CPU that went offline meanwhile. A list that was read does not change; a later one may have more.</summary>
    public IReadOnlyList<string> UnavailableReasons => _unavailableReasons.All;

    /// <summary>The wake-up that ended the measurement (<see cref="JitterMeterOptions.BreakAbove"/>), the first where several CPUs had one;
    /// null before, and without.</summary>
    public JitterBreak? Break => _break;

    /// <summary>When the measurement began, in UTC (offset 0).</summary>
    public DateTimeOffset StartTime { get; }

    /// <summary>Ends when every thread has ended and all samples are taken in: after the asked duration or loops, a break, or
    /// <see cref="Stop"/>. Fails with <see cref="MeasurementUnavailableException"/> if the system refused to sleep.</summary>
    public Task Completion => _completion.Task;

    /// <summary>Starts measuring.</summary>
    /// <param name="options">How.</param>
    /// <returns>The meter, measuring.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="MeasurementUnavailableException">Not Linux, or a CPU that is asked for is offline or not allowed to this
    /// process.</exception>
    public static JitterMeter Start(JitterMeterOptions options) =>
        TryStart(options, out JitterMeter? meter, out string? reason) ? meter : throw new MeasurementUnavailableException(reason);

    /// <summary>Starts measuring, where that can be done.</summary>
    /// <param name="options">How.</param>
    /// <param name="meter">The meter, or null.</param>
    /// <param name="reason">Why not, and what can be done about it; null where it succeeded.</param>
    /// <returns>Whether it measures.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public static bool TryStart(
        JitterMeterOptions options, [NotNullWhen(true)] out JitterMeter? meter, [NotNullWhen(false)] out string? reason)
    {
        JitterPlan plan = JitterPlan.For(options);
        if (OperatingSystem.IsLinux())
        {
            return TryStart(new LinuxJitterSystem(), options, plan, out meter, out reason);
        }

        (meter, reason) = (null, "JitterMeter measures Linux; this is another system.");
        return false;
    }

    internal static bool TryStart(
        IJitterSystem system,
        JitterMeterOptions options,
        JitterPlan plan,
        [NotNullWhen(true)] out JitterMeter? meter,
        [NotNullWhen(false)] out string? reason)
    {
        meter = system.TryFindCpus(options.Cpus, out int[] cpus, out reason)
            ? new JitterMeter(system, options, plan, cpus, out reason)
            : null;
        meter = reason is null ? meter : null;
        return meter is not null;
    }

    /// <summary>Ends the measurement: each thread at its next wake-up. Returns when every thread has ended and all samples are taken in,
    /// after an interval and some milliseconds. The same the second time.</summary>
    /// <exception cref="Exception">What ended the measurement before, as <see cref="Completion"/> has it.</exception>
    public void Stop()
    {
        Dispose();
        if (_failure is { } failure && Thread.CurrentThread != _drainer)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    /// <summary>As <see cref="Stop"/>, and says nothing of what ended the measurement before. What is measured can still be read.</summary>
    public void Dispose()
    {
        StopLanes();
        if (Thread.CurrentThread != _drainer) // which calls JitterMeterOptions.Samples
        {
            _drainer.Join();
        }
    }

    /// <summary>As <see cref="Dispose"/>, without blocking the calling thread.</summary>
    /// <returns>A task that ends when every thread has ended and all samples are taken in.</returns>
    public async ValueTask DisposeAsync()
    {
        StopLanes();
        if (Thread.CurrentThread != _drainer)
        {
            await Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private void StopLanes()
    {
        lock (_gate)
        {
            if (!_isOver)
            {
                Array.ForEach(_lanes, lane => lane.Stop());
            }
        }
    }

    // On the thread that was late: the mark first, as close to the event as can be.
    private void OnBreak(JitterLane lane, ulong latency)
    {
        if (Interlocked.Increment(ref _breaks) == 1)
        {
            (string? markReason, string? stopReason) = _trace!.End(lane.Cpu, latency);
            _break = new JitterBreak(lane.Cpu, (long)latency, markReason, stopReason);
            StopLanes();
        }
    }

    private void Drain()
    {
        long start = Stopwatch.GetTimestamp();
        long overdueSince = 0; // a timestamp; 0 while it is not
        for (int drains = 1; !_ended.Wait(DrainInterval); drains++)
        {
            DrainLanes();
            // Not at once: after a stop of the process everything is overdue, and caught up within milliseconds. By the clock, not by
            // drains, of which there may be one a second: threads that never sleep leave others the twentieth part of their CPUs.
            if (Stopwatch.GetElapsedTime(start) > _duration)
            {
                overdueSince = overdueSince == 0 ? Stopwatch.GetTimestamp() : overdueSince;
                if (Stopwatch.GetElapsedTime(overdueSince) >= CatchUp)
                {
                    _unavailableReasons.Add(JitterReasons.CannotKeepUp);
                    StopLanes();
                }
            }

            if (drains % DrainsPerLook == 0)
            {
                Array.ForEach(_lanes, EndIfMoved);
            }
        }

        DrainLanes();
        lock (_gate)
        {
            _isOver = true;
        }

        if (Array.Find(_lanes, lane => lane.Error != 0) is { } refused)
        {
            Fail(new MeasurementUnavailableException(JitterReasons.NoSleep(refused.Error)));
        }

        Array.ForEach(_lanes, lane => lane.Dispose());
        _trace?.Dispose();
        _prepared?.Dispose();
        _ended.Dispose();
        if (_failure is { } failure)
        {
            _completion.SetException(failure);
        }
        else
        {
            _completion.SetResult();
        }
    }

    private void DrainLanes() => Array.ForEach(_lanes, lane => lane.Drain());

    private void EndIfMoved(JitterLane lane)
    {
        if (!lane.IsWhereItWasPut())
        {
            _unavailableReasons.Add(JitterReasons.NotWhereItWasPut(lane.Cpu));
            lane.Stop();
        }
    }

    private void Give(int cpu, long firstDueNanoseconds, ReadOnlySpan<ulong> latencyNanoseconds)
    {
        if (_failure is not null)
        {
            return; // it is given nothing more; the histograms go on to the end
        }

        try
        {
            _samples!(cpu, firstDueNanoseconds, latencyNanoseconds);
        }
        catch (Exception e)
        {
            Fail(e);
            StopLanes();
        }
    }

    private void Fail(Exception failure) => _failure ??= failure;
}
