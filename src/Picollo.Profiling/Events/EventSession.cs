using System.Buffers.Binary;
using System.Net.Sockets;
using Picollo.Profiling.Symbols;

namespace Picollo.Profiling.Events;

/// <summary>A session of the runtime's event pipe, with providers and levels that do not affect other sessions. (All event listeners of a
/// process share one session, so that a verbose keyword of one would make the events of all verbose.)</summary>
internal sealed class EventSession : IDisposable
{
    private const byte EventPipeCommands = 2;
    private const byte StopTracingCommand = 1;
    private const byte CollectTracing3Command = 4;
    private const uint NettraceFormat = 1;

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan PollTime = TimeSpan.FromMilliseconds(100);

    private readonly DiagnosticsPort _port;
    private readonly Socket _connection;
    private readonly byte[] _id;
    private volatile bool _isClosed;
    private int _isStopped;

    private EventSession(DiagnosticsPort port, Socket connection, byte[] id) => (_port, _connection, _id) = (port, connection, id);

    /// <summary>Starts a session; null if the runtime does not permit it.</summary>
    /// <param name="port">The port of the process.</param>
    /// <param name="bufferMegabytes">The size of the runtime's buffer, from which events are lost if they are not read in time.</param>
    /// <param name="hasStacks">Whether events have stacks, which take nine tenths of the time of an event.</param>
    /// <param name="providers">The providers of the events.</param>
    /// <param name="reason">The reason of a failure.</param>
    public static EventSession? TryStart(
        DiagnosticsPort port, int bufferMegabytes, bool hasStacks, IReadOnlyList<EventProvider> providers, out string? reason)
    {
        // { u32 megabytes, format; bool rundown, stacks; u32 count; { u64 keywords; u32 level; string name, arguments }[count] }
        List<byte> payload = [];
        AddNumber((uint)bufferMegabytes);
        AddNumber(NettraceFormat);
        payload.AddRange([0, hasStacks ? (byte)1 : (byte)0]); // a rundown would list all methods
        AddNumber((uint)providers.Count);
        foreach (EventProvider provider in providers)
        {
            AddNumber((uint)provider.Keywords);
            AddNumber((uint)(provider.Keywords >> 32));
            AddNumber((uint)provider.Level);
            AddNumber((uint)provider.Name.Length + 1);
            payload.AddRange(Encoding.Unicode.GetBytes(provider.Name + '\0'));
            AddNumber(0);
        }

        byte[] id = new byte[sizeof(ulong)];
        Socket? connection = port.Open(
            EventPipeCommands, CollectTracing3Command, CollectionsMarshal.AsSpan(payload), Timeout, id, out reason);
        return connection is null ? null : new EventSession(port, connection, id);

        void AddNumber(uint number)
        {
            Span<byte> bytes = stackalloc byte[sizeof(uint)];
            BinaryPrimitives.WriteUInt32LittleEndian(bytes, number);
            payload.AddRange(bytes);
        }
    }

    /// <summary>Waits for bytes of the stream (<see cref="NettraceReader"/>); 0 at its end, and after <see cref="Dispose"/>.</summary>
    /// <param name="buffer">Receives the bytes.</param>
    /// <param name="onIdle">Called each 0.1 s in which the runtime has sent nothing.</param>
    public int Read(Span<byte> buffer, Action? onIdle = null)
    {
        try
        {
            while (!_isClosed)
            {
                // A blocking read would wait in managed code, and its own events would then be part of the stream.
                if (_connection.Poll(PollTime, SelectMode.SelectRead))
                {
                    return _connection.Receive(buffer);
                }

                onIdle?.Invoke();
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The same as the end.
        }

        return 0;
    }

    /// <summary>Ends the session. Another thread must read the rest of the stream in the meantime. Can be called more than once.</summary>
    public void Stop()
    {
        if (Interlocked.Exchange(ref _isStopped, 1) == 0)
        {
            Socket? answer = _port.Open(EventPipeCommands, StopTracingCommand, _id, Timeout, new byte[sizeof(ulong)], out _);
            answer?.Dispose();
            _isClosed |= answer is null; // the runtime ends the session when the reader closes the connection
        }
    }

    /// <summary>Ends the session and drops the rest of the stream.</summary>
    public void Dispose()
    {
        // The runtime must not wait for the reader before it ends the session.
        _isClosed = true;
        _connection.Dispose();
        Stop();
    }
}

/// <summary>A provider of events, as in <see cref="System.Diagnostics.Tracing.EventSource"/>.</summary>
internal sealed record EventProvider(string Name, ulong Keywords, System.Diagnostics.Tracing.EventLevel Level);
