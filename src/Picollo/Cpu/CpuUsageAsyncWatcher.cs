using System.Diagnostics;

namespace Picollo.Cpu;

/// <summary>
/// Sums the CPU time of everything that one logical flow runs, on whatever threads: the code after the constructor, what follows its
/// awaits, and the tasks, threads and timers it starts.
/// </summary>
/// <remarks>
/// <para>A watcher is part of the <see cref="ExecutionContext"/> from its constructor on, and the runtime tells when a thread takes that
/// context up and leaves it; each time the thread's CPU clock is read, which is all that it costs: two reads a resumed await, nothing
/// allocated, and some hundred bytes a watcher, however long it runs. Watchers may be nested, overlap and run side by
/// side; what a flow with several of them takes counts in each.</para>
/// <para><b>Counted</b>: <c>await</c> with or without <c>ConfigureAwait(false)</c>, <see cref="Task.Run(Action)"/>,
/// <c>Task.WhenAll</c>, <c>Parallel</c>, <see cref="Thread.Start()"/>, timers created after the constructor, consuming an
/// <c>IAsyncEnumerable</c>. Whenever asked, also by a thread outside of the flow, the results are of that moment: with what all threads
/// have taken that are in the flow just then. (Of those other than the asking one, the kernel's part is known in the steps
/// that <see cref="CpuUsageReader"/> gives for other threads; the total is exact.)</para>
/// <para><b>Not counted</b>: work queued while the flow is suppressed (<see cref="ExecutionContext.SuppressFlow"/>, <c>Unsafe…</c> methods);
/// work begun before the constructor; work handed to a thread that was there before, such as a channel's consumer; garbage
/// collections and other work of the runtime's own threads; what children still run after <see cref="Stop"/>; what a
/// thread started without a context (<see cref="Thread.UnsafeStart()"/>) takes from its last switch to its end. A
/// watcher made inside an <c>async</c> method or iterator is gone from the flow when that returns (an iterator: at each
/// <c>yield</c>), as with every <see cref="AsyncLocal{T}"/>; make it where its <see cref="Stop"/> is.</para>
/// <para>All members are thread-safe. Asking costs a clock read and a look at each thread that ever ran a watched flow, and a short list if
/// other threads are in this one.</para>
/// <example>
/// <code>
/// app.Use(async (context, next) =>
/// {
///     CpuUsageAsyncWatcher watcher = new CpuUsageAsyncWatcher();
///     await next.Invoke();
///     watcher.Stop();
///     Console.WriteLine($"Cpu Usage by http request is {watcher.GetSummaryCpuUsage()}");
/// });
/// </code>
/// </example>
/// </remarks>
public sealed class CpuUsageAsyncWatcher : IDisposable
{
    private readonly long _startTimestamp;
    private int _stopRequested;
    private Results? _final;

    private long _totalNanoseconds;
    private long _userNanoseconds;
    private long _kernelNanoseconds;
    private long _switchCount;

    /// <summary>Starts watching the current flow.</summary>
    /// <param name="detail">Whether user and kernel time are told apart.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="detail"/> is none of the enumeration's values.</exception>
    /// <exception cref="MeasurementUnavailableException">This system does not tell a thread's CPU time.</exception>
    public CpuUsageAsyncWatcher(CpuUsageDetail detail = CpuUsageDetail.UserAndKernel)
    {
        if (detail is not (CpuUsageDetail.TotalOnly or CpuUsageDetail.UserAndKernel))
        {
            throw new ArgumentOutOfRangeException(nameof(detail), detail, "The detail is TotalOnly or UserAndKernel.");
        }

        // Now: in the change handler it would be too late to throw.
        if (CpuTimes.Current.ThreadUnavailableReason is { } reason)
        {
            throw new MeasurementUnavailableException(reason);
        }

        Detail = detail;
        _startTimestamp = Stopwatch.GetTimestamp();
        WatchedFlow.Enter(this);
    }

    /// <summary>What is read at each switch.</summary>
    public CpuUsageDetail Detail { get; }

    /// <summary>True until <see cref="Stop"/> has returned.</summary>
    public bool IsRunning => Volatile.Read(ref _final) is null;

    /// <summary>Time passed from the constructor to <see cref="Stop"/>, or to now.</summary>
    public TimeSpan WallTime => Volatile.Read(ref _final)?.WallTime ?? Stopwatch.GetElapsedTime(_startTimestamp);

    /// <summary>How many times a thread has left the flow, so far or until <see cref="Stop"/>: each time ends a segment whose CPU
    /// time was added. 0 for a flow that has never given up its thread.</summary>
    public long SwitchCount => Volatile.Read(ref _final)?.SwitchCount ?? Interlocked.Read(ref _switchCount);

    /// <summary>The CPU time of the flow so far, or until <see cref="Stop"/>; see the type's remarks for what counts.</summary>
    /// <returns>User and kernel time apart.</returns>
    /// <exception cref="InvalidOperationException">The watcher was made with <see cref="CpuUsageDetail.TotalOnly"/>; ask for
    /// <see cref="GetTotalNanoseconds"/>.</exception>
    public CpuUsage GetSummaryCpuUsage()
    {
        if (Detail == CpuUsageDetail.TotalOnly)
        {
            throw new InvalidOperationException(
                $"This watcher was made with {nameof(CpuUsageDetail)}.{nameof(CpuUsageDetail.TotalOnly)} and knows no user and kernel time apart: use {nameof(GetTotalNanoseconds)}().");
        }

        return (Final ?? WatchedFlow.GetTaken(this)).Split;
    }

    /// <summary>The CPU time of the flow so far, or until <see cref="Stop"/>, user and kernel together, at the finest step the system
    /// has: that of <see cref="CpuUsageReader.GetThreadTime()"/>.</summary>
    /// <returns>Nanoseconds. While the watcher runs, never less than the same thread was told before (but for threads started without a
    /// context, whose last part is lost at their end).</returns>
    public long GetTotalNanoseconds() => (Final ?? WatchedFlow.GetTaken(this)).TotalNanoseconds;

    /// <summary>Stops watching: the results no longer change. What threads in the flow have taken up to now is included. The second
    /// and later calls do nothing.</summary>
    public void Stop()
    {
        if (Interlocked.Exchange(ref _stopRequested, 1) != 0)
        {
            return;
        }

        WatchedFlow.Leave(this);
        Volatile.Write(ref _final, new Results(
            Stopwatch.GetElapsedTime(_startTimestamp), Interlocked.Read(ref _switchCount), WatchedFlow.GetTaken(this)));
    }

    /// <summary>Does what <see cref="Stop"/> does; the results stay.</summary>
    public void Dispose() => Stop();

    /// <summary>What was taken until <see cref="Stop"/>; null while the watcher runs.</summary>
    internal CpuSegment? Final => Volatile.Read(ref _final)?.Taken;

    /// <summary>The segments that have ended.</summary>
    internal CpuSegment Ended => new(
        Interlocked.Read(ref _totalNanoseconds),
        new CpuUsage(Interlocked.Read(ref _userNanoseconds), Interlocked.Read(ref _kernelNanoseconds)));

    /// <summary>Adds a segment that has ended; several threads may at once.</summary>
    internal void Add(in CpuSegment segment, bool byThreadSwitch)
    {
        Interlocked.Add(ref _totalNanoseconds, segment.TotalNanoseconds);
        if (Detail == CpuUsageDetail.UserAndKernel)
        {
            Interlocked.Add(ref _userNanoseconds, segment.Split.UserNanoseconds);
            Interlocked.Add(ref _kernelNanoseconds, segment.Split.KernelNanoseconds);
        }

        if (byThreadSwitch)
        {
            Interlocked.Increment(ref _switchCount);
        }
    }

    /// <summary>In one piece, so that a segment that ends on another thread while this one stops cannot change them any more.</summary>
    private sealed record Results(TimeSpan WallTime, long SwitchCount, CpuSegment Taken);
}
