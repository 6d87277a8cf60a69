using System.Diagnostics.Tracing;

namespace Picollo.Diagnostics.Runtime;

/// <summary>Passes the events of this process's runtime to a <see cref="RuntimeEventReader"/>.</summary>
/// <remarks>The runtime delivers its events on one dedicated thread, in the order of their time stamps, up to a tenth of a second late.
/// The time stamps are those of the events.</remarks>
internal sealed class RuntimeEventListener : EventListener
{
    private const string RuntimeSource = "Microsoft-Windows-DotNETRuntime";

    // At Verbose, these keywords would lengthen the pauses that are measured by a tenth.
    private const EventLevel Level = EventLevel.Informational;
    private const EventKeywords Collections = (EventKeywords)0x1;
    private const EventKeywords Contention = (EventKeywords)0x4000;

    // Of the runtime's manifest, clretwall.man.
    private const int CollectionStart = 1;
    private const int CollectionEnd = 2;
    private const int RestartBegin = 7;
    private const int SuspendEnd = 8;
    private const int SuspendBegin = 9;
    private const int ContentionStop = 91;

    // Listeners that start and stop at the same time on several threads can deadlock in the runtime (seen in .NET 10.0.12).
    private static readonly Lock Switching = new();

    private readonly RuntimeEventReader? _reader;
    private readonly Lock _gate = new();
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

    /// <summary>Whether the runtime has the events.</summary>
    public bool HasSource => _source is not null;

    public static RuntimeEventListener Start(RuntimeEventReader reader)
    {
        // The runtime's thread that delivers events would keep the AsyncLocals of the caller as long as there is a listener.
        using AsyncFlowControl? flow = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        lock (Switching)
        {
            return new RuntimeEventListener(reader);
        }
    }

    public override void Dispose()
    {
        lock (Switching)
        {
            base.Dispose();
        }

        // An event that is being delivered is the last.
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
        // By number first: most events of a collection are none of these, and the payload is only looked at where it is needed.
        if (eventData.EventId is not (CollectionStart or CollectionEnd or RestartBegin or SuspendEnd or SuspendBegin or ContentionStop)
            || _reader is not { } reader)
        {
            return;
        }

        lock (_gate)
        {
            if (!_isOver)
            {
                Pass(reader, eventData);
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
