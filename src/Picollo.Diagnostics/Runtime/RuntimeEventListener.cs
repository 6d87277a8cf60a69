using System.Diagnostics;
using System.Diagnostics.Tracing;
using Picollo.Cpu;

namespace Picollo.Diagnostics.Runtime;

/// <summary>Passes the events of this process's runtime to the <see cref="RuntimeEventReader"/>s of all meters.</summary>
/// <remarks>The runtime delivers its events on one dedicated thread, in the order of their time stamps, up to a tenth of a second late.
/// The time stamps are those of the events.</remarks>
internal sealed class RuntimeEventListener : EventListener
{
    private const string RuntimeSource = "Microsoft-Windows-DotNETRuntime";

    // At Verbose, these keywords would make the measured pauses a tenth longer.
    private const EventLevel Level = EventLevel.Informational;
    private const EventKeywords Collections = (EventKeywords)0x1;
    private const EventKeywords Contention = (EventKeywords)0x4000;

    // Event IDs from the runtime's manifest, clretwall.man.
    private const int CollectionStart = 1;
    private const int CollectionEnd = 2;
    private const int RestartBegin = 7;
    private const int SuspendEnd = 8;
    private const int SuspendBegin = 9;
    private const int ContentionStop = 91;

    /// <summary>The number of threads after which a new session starts. The runtime (10.0.12) keeps a record of each thread that has
    /// written an event in the session, even after the thread has ended, and searches all records for each event that it delivers
    /// (dotnet/runtime#111368). After 80,000 threads, delivery used 1.1 processors (2026-11-25).</summary>
    private const int MaxThreads = 1000;

    // Listeners that start and stop at the same time on several threads can deadlock in the runtime (seen in .NET 10.0.12).
    private static readonly Lock Switching = new();

    private readonly Lock _gate = new();
    private readonly List<RuntimeEventReader> _readers = [];
    private readonly HashSet<long> _threads = []; // IDs of the threads that have written an event in this session
    private EventSource? _source;
    private SessionClock _clock; // of the session
    private bool _isOver;

    private RuntimeEventListener()
    {
        // The constructor of the base class has already called OnEventSourceCreated for the sources that exist.
        if (_source is not null)
        {
            _clock = SessionClock.Now();
            EnableEvents(_source, Level, Collections | Contention);
        }
    }

    public bool HasSource => _source is not null;

    /// <summary>The clock of the current session.</summary>
    public SessionClock Clock => _clock;

    public static RuntimeEventListener Start()
    {
        // Otherwise, the runtime's event thread would keep the AsyncLocals of the caller while there is a listener.
        using AsyncFlowControl? flow = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        lock (Switching)
        {
            return new RuntimeEventListener();
        }
    }

    public void Add(RuntimeEventReader reader)
    {
        lock (_gate)
        {
            _readers.Add(reader);
        }
    }

    /// <summary>Removes a reader. Waits for an event that is being delivered.</summary>
    public void Remove(RuntimeEventReader reader)
    {
        lock (_gate)
        {
            _readers.Remove(reader);
        }
    }

    /// <summary>Starts a new session if more than <see cref="MaxThreads"/> threads have written events in this one. Events of about the
    /// last 10 ms are lost. Not for the thread that delivers events: this method waits for it.</summary>
    /// <returns><see langword="true"/> if a new session was started; otherwise, <see langword="false"/>.</returns>
    public bool RenewSession()
    {
        lock (_gate)
        {
            if (_threads.Count <= MaxThreads)
            {
                return false;
            }
        }

        lock (Switching)
        {
            if (_isOver)
            {
                return false;
            }

            DisableEvents(_source!); // returns after the last event of the session
            lock (_gate)
            {
                _threads.Clear();
                _readers.ForEach(static reader => reader.OnEventsLost());
                _clock = SessionClock.Now();
            }

            EnableEvents(_source!, Level, Collections | Contention);
            return true;
        }
    }

    public override void Dispose()
    {
        lock (Switching)
        {
            _isOver = true;
            base.Dispose();
        }
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == RuntimeSource)
        {
            _source = eventSource;
        }
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        lock (_gate)
        {
            if (_threads.Count <= MaxThreads)
            {
                _threads.Add(eventData.OSThreadId);
            }

            // The ID is checked first: most events of a collection have other IDs, and reading the payload is expensive.
            if (eventData.EventId is (CollectionStart or CollectionEnd or RestartBegin or SuspendEnd or SuspendBegin or ContentionStop))
            {
                foreach (RuntimeEventReader reader in _readers)
                {
                    Pass(reader, eventData);
                }

                if (eventData is { EventId: ContentionStop, Payload: [byte, ushort, double nanoseconds, ..] })
                {
                    LatencySources.AddLockWait(eventData.OSThreadId, _clock.ToTimestamp(eventData.TimeStamp), (long)nanoseconds);
                }
            }
        }
    }

    private static void Pass(RuntimeEventReader reader, EventWrittenEventArgs eventData)
    {
        long time = eventData.TimeStamp.Ticks * TimeSpan.NanosecondsPerTick;
        switch (eventData.EventId, eventData.Payload)
        {
            case (SuspendBegin, [uint reason, ..]):
                reader.OnSuspendBegin(time, reason);
                break;
            case (SuspendEnd, _):
                reader.OnSuspendEnd(time);
                break;
            case (CollectionStart, [uint number, uint generation, uint reason, uint type, ..]):
                reader.OnCollectionStart(number, generation, reason, type);
                break;
            case (CollectionEnd, [uint number, ..]):
                reader.OnCollectionEnd(number);
                break;
            case (RestartBegin, _):
                reader.OnRestartBegin(time);
                break;
            case (ContentionStop, [byte, ushort, double nanoseconds, ..]):
                reader.OnLockWait(nanoseconds);
                break;
        }
    }
}

/// <summary>Converts the times of a session's events to ticks of <see cref="Stopwatch"/>.</summary>
/// <remarks>The runtime does the reverse: it reads both clocks at the start of a session, and computes the time of each event from its
/// ticks. So the system's clock may change later.</remarks>
internal readonly record struct SessionClock(DateTime Time, long Timestamp)
{
    private const int Attempts = 3;

    public static SessionClock Now()
    {
        SessionClock best = default;
        long shortest = long.MaxValue;
        for (int i = 0; i < Attempts; i++)
        {
            long before = Stopwatch.GetTimestamp();
            DateTime time = DateTime.UtcNow;
            long duration = Stopwatch.GetTimestamp() - before;
            if (duration < shortest)
            {
                (best, shortest) = (new SessionClock(time, before + (duration / 2)), duration);
            }
        }

        return best;
    }

    public long ToTimestamp(DateTime time) =>
        Timestamp + (long)((time - Time).Ticks * ((double)Stopwatch.Frequency / TimeSpan.TicksPerSecond));
}
