using System.Diagnostics.Tracing;

namespace Picollo.Diagnostics.Runtime;

/// <summary>Passes the events of this process's runtime to a <see cref="RuntimeEventReader"/>.</summary>
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

    // The runtime has one session for all listeners of the process, and starts a new one when any of them starts, changes or ends.
    private static readonly List<RuntimeEventListener> Running = [];

    private readonly RuntimeEventReader? _reader;
    private readonly Lock _gate = new();
    private readonly HashSet<long> _threads = []; // IDs of the threads that have written an event in this session
    private EventSource? _source;
    private bool _isOver;

    private RuntimeEventListener(RuntimeEventReader reader)
    {
        // The constructor of the base class has already called OnEventSourceCreated for the sources that exist.
        _reader = reader;
        if (_source is not null)
        {
            EnableEvents(_source, Level, Collections | Contention);
        }
    }

    /// <summary>Whether the runtime provides the events.</summary>
    public bool HasSource => _source is not null;

    public static RuntimeEventListener Start(RuntimeEventReader reader)
    {
        // Otherwise, the runtime's event thread would keep the AsyncLocals of the caller while there is a listener.
        using AsyncFlowControl? flow = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        lock (Switching)
        {
            RuntimeEventListener listener = new(reader);
            OnNewSession();
            Running.Add(listener);
            return listener;
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
            if (!Running.Contains(this))
            {
                return false;
            }

            DisableEvents(_source!); // returns after the last event of the session
            OnNewSession();
            EnableEvents(_source!, Level, Collections | Contention);
            return true;
        }
    }

    public override void Dispose()
    {
        lock (Switching)
        {
            Running.Remove(this);
            base.Dispose();
            OnNewSession();
        }

        // Waits for an event that is being delivered.
        lock (_gate)
        {
            _isOver = true;
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
        if (_reader is not { } reader)
        {
            return;
        }

        lock (_gate)
        {
            if (_threads.Count <= MaxThreads)
            {
                _threads.Add(eventData.OSThreadId);
            }

            // The ID is checked first: most events of a collection have other IDs, and reading the payload is expensive.
            if (!_isOver
                && eventData.EventId is (CollectionStart or CollectionEnd or RestartBegin or SuspendEnd or SuspendBegin or ContentionStop))
            {
                Pass(reader, eventData);
            }
        }
    }

    private static void OnNewSession()
    {
        foreach (RuntimeEventListener listener in Running)
        {
            lock (listener._gate)
            {
                listener._threads.Clear();
                listener._reader!.OnEventsLost();
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
