using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using Picollo.Diagnostics.Jitter.Linux;

namespace Picollo.Diagnostics;

/// <summary>Measures the wake-up latency of CPUs. On each CPU, a pinned thread sleeps until a due time and measures how much later it
/// runs.</summary>
/// <remarks>
/// <para>The due times are always one interval apart. After a late wake-up, the due times that have passed in the meantime are also
/// measured, and none is skipped (no coordinated omission). For example, a wait of 10 ms at an interval of 1 ms is recorded as 10, 9, 8 ms
/// and so on, so it has the weight of the wake-ups that it delayed. All causes that keep a thread from running are visible: interrupts,
/// other threads, a hypervisor, and a stopped process (SIGSTOP).</para>
/// <para>The method is that of cyclictest and jitterdebugger, so results are comparable: CLOCK_MONOTONIC, clock_nanosleep(2) until an
/// absolute time, SCHED_FIFO, and /dev/cpu_dma_latency held at 0, so that CPUs do not enter deep sleep states. The loop is native code that
/// runs from start to end without the runtime, so garbage collections do not stop it. It writes samples to locked memory, and a thread of
/// ordinary priority reads them every 50 ms. The memory holds the samples of 10 s at intervals of 1 ms and above, and 131,072 samples at
/// shorter intervals; further samples are lost (<see cref="CpuJitter.LostCount"/>). Threads without SCHED_FIFO use the minimum timer slack
/// (1 ns instead of the usual 50 µs).</para>
/// <para><see cref="UnavailableReasons"/> lists the optional functions that the system refuses. Linux only. All members can be used by any
/// thread. Starting takes a few milliseconds and, for each CPU, a thread and 0.3 to 1.3 MB. A wake-up takes a few microseconds of CPU time.
/// A meter that is not stopped continues to measure, but does not keep the process running.</para>
/// <example>
/// <code>
/// await using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Duration = TimeSpan.FromSeconds(5) });
/// await meter.Completion;
/// foreach (CpuJitter cpu in meter.Cpus)
/// {
///     ReadOnlyHdrHistogram latencies = cpu.Histogram;
///     (ulong p99, ulong max) = (latencies.GetPercentileValue(99), latencies.GetPercentileValue(100));
///     Console.WriteLine($"CPU {cpu.Cpu}: p99 {p99} ns, max {max} ns of {latencies.TotalCount}");
/// }
/// </code>
/// </example>
/// </remarks>
public sealed class JitterMeter : IDisposable, IAsyncDisposable
{
    // Short compared with the capacity of the rings, and long compared with the time to drain them.
    private static readonly TimeSpan DrainInterval = TimeSpan.FromMilliseconds(50);
    private const int DrainsPerCheck = 20;

    // The time limit for measuring overdue wake-ups at the end of the duration.
    private static readonly TimeSpan CatchUpLimit = TimeSpan.FromSeconds(1);

    private readonly ReasonList _unavailableReasons;
    private readonly JitterThread[] _lanes;
    private readonly JitterTrace? _trace;
    private readonly IDisposable? _prepared;
    private readonly CountdownEvent _ended;
    private readonly Thread _drainer;
    private readonly Action<int, long, ReadOnlySpan<ulong>>? _samples;
    private readonly TimeSpan _duration; // at least one interval
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();
    private bool _isOver; // guarded by the gate; if true, the lanes' memory may be freed
    private int _breaks;
    private volatile JitterBreak? _break;
    private volatile Exception? _failure;

    private JitterMeter(
        IJitterSystem system, JitterMeterOptions options, JitterPlan plan, int[] cpus, out MeasurementUnavailableException? failure)
    {
        (_unavailableReasons, _samples) = (new ReasonList(), options.Samples);
        _duration = options.Duration is { } duration
            ? TimeSpan.FromTicks(Math.Max(duration.Ticks, options.Interval.Ticks))
            : TimeSpan.MaxValue;
        _ended = new CountdownEvent(cpus.Length);
        _drainer = new Thread(Drain) { IsBackground = true, Name = "Picollo jitter" };
        // These are left to the garbage collector, because it is unknown when the last thread has used them.
        CountdownEvent ready = new(cpus.Length);
        ManualResetEventSlim go = new(false, spinCount: 0); // spinning at real-time priority would block the awaited thread
        bool isAbandoned = true;
        JitterThread.Start start = new(options.Priority, _unavailableReasons, ready, go, () => isAbandoned, OnBreak, _ended);
        List<JitterThread> lanes = [];
        try
        {
            _prepared = system.Prepare(_unavailableReasons);
            _trace = options.BreakAbove is null ? null : system.OpenTrace();
            foreach (int cpu in cpus)
            {
                JitterRing ring = new(system, plan, _unavailableReasons);
                lanes.Add(new JitterThread(cpu, system, ring) { Samples = _samples is null ? null : PassSamples });
            }

            lanes.ForEach(lane => lane.Begin(start));
            ready.Wait();
            _lanes = [.. lanes];
            Priority = lanes.TrueForAll(lane => lane.Priority is not null) ? options.Priority : null;
            Cpus = [.. lanes.Select(lane => lane.Jitter = new CpuJitter(lane.Cpu, lane.ThreadId))];
            failure = lanes.Find(lane => lane.Failure is not null)?.Failure;
            if (failure is null)
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

    /// <summary>The measured CPUs, in ascending order.</summary>
    public IReadOnlyList<CpuJitter> Cpus { get; }

    /// <summary>The real-time priority of the measuring threads (<see cref="JitterMeterOptions.Priority"/>); <see langword="null"/> for
    /// none, or if the system refused it to one of them.</summary>
    public int? Priority { get; }

    /// <summary>The functions that the system refused, each with its cause and a remedy in one or two sentences: real-time priority is not
    /// permitted, /dev/cpu_dma_latency is not writable, memory is not locked, the native library is missing (garbage collections of this
    /// process then show as latency), or a CPU went offline. A returned list does not change; a later one may be longer.</summary>
    public IReadOnlyList<string> UnavailableReasons => _unavailableReasons.All;

    /// <summary>The wake-up that ended the measurement (<see cref="JitterMeterOptions.BreakAbove"/>), or the first of them if there were
    /// several; <see langword="null"/> if there was none.</summary>
    public JitterBreak? Break => _break;

    /// <summary>The start time of the measurement, in UTC (offset 0).</summary>
    public DateTimeOffset StartTime { get; }

    /// <summary>A task that completes when all threads have ended and all samples are recorded: after the duration or number of loops, a
    /// break, or <see cref="Stop"/>. It fails with <see cref="MeasurementUnavailableException"/> if the system refused the call that
    /// sleeps.</summary>
    public Task Completion => _completion.Task;

    /// <summary>Starts measuring.</summary>
    /// <param name="options">The options; <see langword="null"/> for the defaults.</param>
    /// <returns>The running meter.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="MeasurementUnavailableException">The system is not Linux, or a requested CPU is offline or not available to this
    /// process.</exception>
    public static JitterMeter Start(JitterMeterOptions? options = null) =>
        TryStart(options, out JitterMeter? meter, out MeasurementUnavailableException? failure) ? meter : throw failure;

    /// <summary>Starts measuring, but returns the exception instead of throwing it.</summary>
    /// <param name="options">The options; <see langword="null"/> for the defaults.</param>
    /// <param name="meter">The running meter; <see langword="null"/> on failure.</param>
    /// <param name="failure">The cause of the failure and its remedy; <see langword="null"/> on success.</param>
    /// <returns><see langword="true"/> if the meter was started; otherwise, <see langword="false"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public static bool TryStart(
        JitterMeterOptions? options,
        [NotNullWhen(true)] out JitterMeter? meter,
        [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        options ??= new JitterMeterOptions();
        JitterPlan plan = JitterPlan.FromOptions(options);
        if (OperatingSystem.IsLinux())
        {
            return TryStart(new LinuxJitterSystem(), options, plan, out meter, out failure);
        }

        (meter, failure) = (null, new("JitterMeter requires Linux.", MeasurementUnavailableCause.NotSupported));
        return false;
    }

    internal static bool TryStart(
        IJitterSystem system,
        JitterMeterOptions options,
        JitterPlan plan,
        [NotNullWhen(true)] out JitterMeter? meter,
        [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        meter = system.TryFindCpus(options.Cpus, out int[] cpus, out failure)
            ? new JitterMeter(system, options, plan, cpus, out failure)
            : null;
        meter = failure is null ? meter : null;
        return meter is not null;
    }

    /// <summary>Stops the measurement. Each thread stops at its next wake-up. Returns when all threads have ended and all samples are
    /// recorded, which takes one interval and a few milliseconds. Further calls have the same result.</summary>
    /// <exception cref="Exception">The exception that ended the measurement earlier, as in <see cref="Completion"/>.</exception>
    public void Stop()
    {
        Dispose();
        if (_failure is { } failure && Thread.CurrentThread != _drainer)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    /// <summary>Stops the measurement like <see cref="Stop"/>, but does not throw the exception that ended it earlier. The results remain
    /// readable.</summary>
    public void Dispose()
    {
        StopLanes();
        if (Thread.CurrentThread != _drainer) // the drainer calls JitterMeterOptions.Samples
        {
            _drainer.Join();
        }
    }

    /// <summary>Stops the measurement like <see cref="Dispose"/>, without blocking the calling thread.</summary>
    /// <returns>A task that completes when all threads have ended and all samples are recorded.</returns>
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

    // Runs on the thread that was late. The mark is written first, as close to the event as possible.
    private void OnBreak(JitterThread lane, ulong latency)
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
        long overdueSince = 0; // a timestamp; 0 if not overdue
        for (int drains = 1; !_ended.Wait(DrainInterval); drains++)
        {
            DrainLanes();
            // Wait before stopping: after a stop of the process, all wake-ups are overdue and are measured within milliseconds. The limit
            // is a time and not a number of drains, because there may be only one drain per second: threads that never sleep leave a
            // twentieth of their CPUs to others.
            if (Stopwatch.GetElapsedTime(start) > _duration)
            {
                overdueSince = overdueSince == 0 ? Stopwatch.GetTimestamp() : overdueSince;
                if (Stopwatch.GetElapsedTime(overdueSince) >= CatchUpLimit)
                {
                    _unavailableReasons.Add(JitterReasons.CannotKeepUp);
                    StopLanes();
                }
            }

            if (drains % DrainsPerCheck == 0)
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
            Fail(JitterReasons.SleepRefused(refused.Error));
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

    private void EndIfMoved(JitterThread lane)
    {
        if (!lane.IsPinned())
        {
            _unavailableReasons.Add(JitterReasons.NoLongerPinned(lane.Cpu));
            lane.Stop();
        }
    }

    private void PassSamples(int cpu, long firstDueNanoseconds, ReadOnlySpan<ulong> latencyNanoseconds)
    {
        if (_failure is not null)
        {
            return; // the callback has failed and is not called again; the histograms continue to the end
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
