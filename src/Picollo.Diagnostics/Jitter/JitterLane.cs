using Picollo.Interop.Native;

namespace Picollo.Diagnostics;

/// <summary>One CPU's thread, and its ring.</summary>
internal sealed unsafe class JitterLane : IDisposable
{
    // The loop's frames are small, and the runtime's own code on it is setting up and ending.
    private const int StackBytes = 256 * 1024;

    private readonly IJitterSystem _system;
    private readonly JitterRing _ring;
    private readonly JitterRing.Batch _take;
    private readonly Thread _thread;
    private bool _isStarted;
    private volatile bool _hasEnded;

    public JitterLane(int cpu, IJitterSystem system, JitterRing ring)
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
            Name = $"Picollo CPU {cpu}", // the kernel's 15 bytes hold a number of three digits
        };
    }

    /// <summary>What the lanes of a meter share.</summary>
    /// <param name="Priority">SCHED_FIFO's; null for none.</param>
    /// <param name="UnavailableReasons">Receives what is refused.</param>
    /// <param name="Ready">Signalled by each lane when it is ready, or cannot be.</param>
    /// <param name="Go">Awaited then.</param>
    /// <param name="IsAbandoned">Called then: whether there is nothing to measure.</param>
    /// <param name="Broke">Called at once when a latency is above the limit.</param>
    /// <param name="Ended">Signalled by each lane when its loop has ended.</param>
    public sealed record Start(
        int? Priority,
        ReasonList UnavailableReasons,
        CountdownEvent Ready,
        ManualResetEventSlim Go,
        Func<bool> IsAbandoned,
        Action<JitterLane, ulong> Broke,
        CountdownEvent Ended);

    public int Cpu { get; }

    /// <summary>Valid once ready.</summary>
    public long ThreadId { get; private set; }

    /// <summary>The real-time priority that was obtained, once the thread is ready; null for none.</summary>
    public int? Priority { get; private set; }

    /// <summary>Why it cannot measure. Valid once ready.</summary>
    public string? UnavailableReason { get; private set; }

    /// <summary>The error number of the system that ended the loop, or 0. Valid once ended.</summary>
    public int Error { get; private set; }

    /// <summary>What is measured; set before it goes.</summary>
    public CpuJitter Jitter { get; set; } = null!;

    /// <summary>Receives every latency. Set while no thread drains. It does not throw.</summary>
    public Action<int, long, ReadOnlySpan<ulong>>? Samples { get; set; }

    public void Begin(Start start)
    {
        _thread.Start(start);
        _isStarted = true;
    }

    /// <summary>The loop ends at its next wake-up.</summary>
    public void Stop() => Volatile.Write(ref _ring.State->Stop, 1);

    /// <summary>Takes in what is measured, after the end the rest of it.</summary>
    public void Drain()
    {
        bool hasEnded = _hasEnded; // before the ring is looked at: what it ended with is then in it
        ulong lost = _ring.Drain(_take);
        if (hasEnded)
        {
            lost += _ring.State->Lost;
            _ring.State->Lost = 0;
        }

        Jitter.AddLost(lost);
    }

    public bool IsWhereItWasPut() => _hasEnded || _system.IsWhereItWasPut(ThreadId, Cpu);

    /// <summary>Waits for the thread, and gives the memory back.</summary>
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
        bool isIn = _system.TryEnter(Cpu, ref priority, start.UnavailableReasons, out long threadId, out string? reason);
        (ThreadId, UnavailableReason, Priority) = (threadId, reason, priority);
        start.Ready.Signal();
        start.Go.Wait();
        if (isIn && !start.IsAbandoned())
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
