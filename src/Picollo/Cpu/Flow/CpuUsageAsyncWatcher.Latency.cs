namespace Picollo.Cpu;

public sealed partial class CpuUsageAsyncWatcher
{
    /// <summary>Divides the duration of the flow so far, or until <see cref="Stop"/>, into states: on a CPU, waiting for one, stopped by a
    /// garbage collection, waiting for a lock, blocked by something else, awaiting. Requires a watcher created with
    /// <c>measureLatency: true</c>.</summary>
    /// <remarks>
    /// <para>The wait for a CPU (Linux only), for locks and for the thread pool are known if a <c>RuntimeMeter</c> of the package
    /// Picollo.Diagnostics ran when the watcher started. Otherwise these states are absent: see <see cref="LatencyBreakdown"/>.</para>
    /// <para>The runtime reports the waits for locks up to 0.1 s late. Until then, they are part of
    /// <see cref="LatencyState.Blocked"/>, also after <see cref="Stop"/>.</para>
    /// <para>While the flow is suspended (<see cref="Suspend"/>) and no other thread runs it, it is in the state
    /// <see cref="LatencyState.Await"/>.</para>
    /// <para>A thread whose end the runtime does not report (see the remarks of the type) counts only until its last switch: the rest is
    /// in the state <see cref="LatencyState.Await"/>.</para>
    /// <para>Locks and <see cref="Task.Wait()"/> spin before they wait, which is CPU time. On a busy machine, the thread loses its CPU
    /// while it spins, and then waits in the run queue.</para>
    /// <example>
    /// <code>
    /// using RuntimeMeter runtime = RuntimeMeter.Start();
    /// using var watcher = new CpuUsageAsyncWatcher(measureLatency: true);
    /// await HandleRequest();
    /// watcher.Stop();
    /// Console.WriteLine(watcher.GetLatencyBreakdown()); // 47.1 ms: lock 24.6, blocked 19.8, cpu 2.7
    /// </code>
    /// </example>
    /// </remarks>
    /// <exception cref="InvalidOperationException">The watcher was not created with <c>measureLatency: true</c>.</exception>
    public LatencyBreakdown GetLatencyBreakdown()
    {
        if (Latency is not { } latency)
        {
            throw new InvalidOperationException(
                $"This watcher does not measure its latency. Create it with new {nameof(CpuUsageAsyncWatcher)}(measureLatency: true).");
        }

        CpuSegment taken;
        long wallTicks;
        if (FinalSums is { } final)
        {
            (taken, wallTicks) = (final, _wallTicks);
        }
        else
        {
            // The CPU time is read first. A segment that ends in the meantime is then part of the copy, with more CPU time.
            ThreadSegment? own = ThreadSegment.OfThread;
            SegmentLatency? running = own is not null && WatchedFlow.CountsFor(own.Innermost, this) ? own.MeasureLatency() : null;
            EndLostThreads(running is null ? 0 : 1);
            taken = WatchedFlow.GetCpuTime(this);
            Lock();
            if (IsRunning)
            {
                latency = latency.Copy();
                if (running is { } piece)
                {
                    latency.Add(piece);
                }

                long now = Stopwatch.GetTimestamp();
                latency.Finish(now, taken.TotalNanoseconds);
                wallTicks = _wallTicks + now;
            }
            else
            {
                (taken, wallTicks) = (_sums, _wallTicks);
            }

            Unlock();
        }

        return latency.ToBreakdown(
            FlowMoment.ToNanoseconds(wallTicks), Detail == CpuUsageDetail.UserAndKernel ? taken.Split : null);
    }

    /// <summary>The time from the constructor to <see cref="Stop"/>, or to now, in nanoseconds.</summary>
    internal long WallNanoseconds
    {
        get
        {
            Lock();
            long ticks = _wallTicks + (IsRunning ? Stopwatch.GetTimestamp() : 0);
            Unlock();
            return FlowMoment.ToNanoseconds(ticks);
        }
    }

    /// <summary>Records that a thread enters the flow, if its latency is measured. See <see cref="FlowLatency.Enter"/>.</summary>
    internal void EnterLatency(long timestamp, bool byThreadSwitch)
    {
        if (LockLatency() is { } latency)
        {
            latency.Enter(timestamp, byThreadSwitch);
            Unlock();
        }
    }

    /// <summary>Records that a thread leaves the flow after it has added its last piece.</summary>
    internal void LeaveLatency(long timestamp)
    {
        if (LockLatency() is { } latency)
        {
            latency.Leave(timestamp);
            Unlock();
        }
    }

    /// <summary>Records that a thread has ended in the flow. See <see cref="FlowLatency.Lose"/>.</summary>
    internal void LoseLatency(long entered)
    {
        if (LockLatency() is { } latency)
        {
            latency.Lose(entered);
            Unlock();
        }
    }

    /// <summary>Adds a segment or a piece of one.</summary>
    /// <param name="piece">The states of the thread.</param>
    /// <param name="left">The time at which the thread leaves the flow; null if it stays or leaves later.</param>
    internal void AddLatency(in SegmentLatency piece, long? left)
    {
        if (LockLatency() is { } latency)
        {
            latency.Add(piece);
            if (left is { } timestamp)
            {
                latency.Leave(timestamp);
            }

            Unlock();
        }
    }

    /// <summary>Ends the segments of threads of which the runtime has not reported the end, so that they do not count until now.</summary>
    /// <param name="known">The number of threads in the flow that are known to run.</param>
    private void EndLostThreads(int known)
    {
        if (ThreadCount > known)
        {
            ThreadSegment.EndWithOwners();
        }
    }

    /// <summary>Enters the lock and returns the states, if they are measured and the watcher runs; otherwise, returns null without the
    /// lock.</summary>
    private FlowLatency? LockLatency()
    {
        if (Latency is not { } latency)
        {
            return null;
        }

        Lock();
        if (IsRunning)
        {
            return latency;
        }

        Unlock();
        return null;
    }
}
