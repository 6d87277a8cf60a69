using Picollo.Interop.Native;

namespace Picollo.Diagnostics;

/// <summary>The measuring thread of one CPU and its ring.</summary>
internal sealed unsafe class JitterThread : IDisposable
{
    // The frames of the loop are small. The thread runs other code of the runtime only at its start and end.
    private const int StackBytes = 256 * 1024;

    private readonly IJitterSystem _system;
    private readonly JitterRing _ring;
    private readonly JitterRing.Batch _take;
    private readonly Thread _thread;
    private bool _isStarted;
    private volatile bool _hasEnded;

    public JitterThread(int cpu, IJitterSystem system, JitterRing ring)
    {
        (Cpu, _system, _ring) = (cpu, system, ring);
        _take = (due, latencies) =>
        {
            Jitter.Add(latencies);
            Samples?.Invoke(Cpu, (long)due, latencies);
        };
        _thread = new Thread(start => Measure((Start)start!), StackBytes)
        {
            IsBackground = true,
            Name = $"Picollo CPU {cpu}", // three digits fit into the kernel's limit of 15 bytes
        };
    }

    /// <summary>The state that the lanes of a meter share. Each lane signals that it is ready or has failed, awaits <paramref name="Go"/>,
    /// calls <paramref name="IsAbandoned"/>, measures, and signals the end of its loop. <paramref name="Broke"/> is called immediately when
    /// a latency exceeds the limit. The priority is for SCHED_FIFO; null for none.</summary>
    public sealed record Start(
        int? Priority,
        ReasonList UnavailableReasons,
        CountdownEvent Ready,
        ManualResetEventSlim Go,
        Func<bool> IsAbandoned,
        Action<JitterThread, ulong> Broke,
        CountdownEvent Ended);

    public int Cpu { get; }

    /// <summary>The thread's ID. Valid when the lane is ready.</summary>
    public long ThreadId { get; private set; }

    /// <summary>The real-time priority that was obtained; null for none. Valid when the lane is ready.</summary>
    public int? Priority { get; private set; }

    /// <summary>The reason why the lane cannot measure; null if it can. Valid when the lane is ready.</summary>
    public MeasurementUnavailableException? Failure { get; private set; }

    /// <summary>The system's error number that ended the loop, or 0. Valid after the end.</summary>
    public int Error { get; private set; }

    /// <summary>The measured values. Must be set before <see cref="Start.Go"/> is signaled.</summary>
    public CpuJitter Jitter { get; set; } = null!;

    /// <summary>Receives every latency. Must be set before the lane is drained, and must not throw.</summary>
    public Action<int, long, ReadOnlySpan<ulong>>? Samples { get; set; }

    public void Begin(Start start)
    {
        _thread.Start(start);
        _isStarted = true;
    }

    /// <summary>Requests the end of the loop, which ends at its next wake-up.</summary>
    public void Stop() => Volatile.Write(ref _ring.State->Stop, 1);

    /// <summary>Reads the new samples from the ring. After the end of the loop, reads the remaining ones.</summary>
    public void Drain()
    {
        bool hasEnded = _hasEnded; // read before the ring, which then has the last samples
        ulong lost = _ring.Drain(_take);
        if (hasEnded)
        {
            lost += _ring.State->Lost;
            _ring.State->Lost = 0;
        }

        Jitter.AddLost(lost);
    }

    public bool IsPinned() => _hasEnded || _system.IsPinned(ThreadId, Cpu);

    public void Dispose()
    {
        if (_isStarted)
        {
            _thread.Join();
        }

        _ring.Dispose();
    }

    private void Measure(Start start)
    {
        int? priority = start.Priority;
        bool isEntered = _system.TryEnter(Cpu, ref priority, start.UnavailableReasons, out long threadId, out var failure);
        (ThreadId, Failure, Priority) = (threadId, failure, priority);
        start.Ready.Signal();
        start.Go.Wait();
        if (isEntered && !start.IsAbandoned())
        {
            int result = _system.Run(_ring.State);
            if (result == JitterState.Broken)
            {
                start.Broke(this, _ring.State->BrokeAt);
            }

            Error = result < 0 ? -result : 0;
        }

        _system.Leave();
        _hasEnded = true;
        start.Ended.Signal();
    }
}
