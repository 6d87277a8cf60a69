using System.Buffers.Binary;

namespace Picollo.Profiling.Events;

/// <summary>Reads bytes, at least one; 0 at the end.</summary>
internal delegate int ReadBytes(Span<byte> buffer);

/// <summary>Reads the events of a stream in the format <c>nettrace</c>, version 4, as the runtime sends it (NetTraceFormat.md of
/// microsoft/perfview; src/native/eventpipe/ep-block.c and ep-file.c of dotnet/runtime).</summary>
/// <remarks>
/// <para>The runtime writes the events of one thread after the other, each in chronological order. See <see cref="CompleteTime"/>.</para>
/// <para>The stream may be damaged or cut: the only exception is <see cref="InvalidDataException"/>. Memory is bounded.</para>
/// </remarks>
internal sealed class NettraceReader(ReadBytes read)
{
    // Many times what the runtime writes: a block of it has at most 100 KB, and a stack 100 addresses.
    private const int MaxBlockBytes = 16 << 20;
    private const int MaxDescriptions = 100_000;
    private const int MaxThreads = 100_000;
    private const int MaxStackAddresses = 8_000_000; // of all stacks between two sequence points

    private const int TraceBytes = 48;
    private const int MaxTypeLength = 32;
    private const int BufferBytes = 16 << 10;

    private readonly byte[] _buffer = new byte[BufferBytes];
    private readonly Dictionary<int, EventDescription> _descriptions = [];
    private readonly Dictionary<uint, ulong[]> _stacks = [];
    private readonly Dictionary<ulong, uint> _sequenceNumbers = []; // by thread
    private byte[] _block = [];
    private long _readBytes;
    private int _start;
    private int _end;
    private int _next; // in the block
    private int _blockEnd;
    private int _pointerBytes;
    private int _stackAddresses;
    private bool _hasHeader;
    private ulong _lastThread; // of an event, not of a description
    private BlobHeader _header;
    private int _payloadStart;

    /// <summary>The description of the current event.</summary>
    public EventDescription Description { get; private set; } = EventDescription.Unknown;

    /// <summary>The system's ID of the thread of the current event.</summary>
    public long ThreadId => (long)_header.ThreadId;

    /// <summary>The time of the current event; for a process on this machine, in ticks of <see cref="Stopwatch"/>.</summary>
    public long Time => _header.Time;

    /// <summary>The values of the current event; valid until the next event is read.</summary>
    public ReadOnlySpan<byte> Payload => _block.AsSpan(_payloadStart, _header.PayloadBytes);

    /// <summary>The return addresses of the stack of the current event, the innermost first; empty if they are unknown.</summary>
    public ReadOnlySpan<ulong> Stack => _stacks.GetValueOrDefault(_header.StackId);

    /// <summary>The time before which no event follows. The runtime continues with the thread that has the oldest event.</summary>
    public long CompleteTime { get; private set; }

    /// <summary>The number of events that the runtime has dropped, because its buffer was full.</summary>
    public long LostCount { get; private set; }

    /// <summary>Reads the next event.</summary>
    /// <returns><see langword="false"/> at the end of the stream.</returns>
    /// <exception cref="InvalidDataException">The stream is damaged or cut, or has another format.</exception>
    public bool MoveNext()
    {
        if (!_hasHeader)
        {
            Span<byte> header = stackalloc byte[32];
            ReadExactly(header);
            Check(header.SequenceEqual("Nettrace\x14\0\0\0!FastSerialization.1"u8), "it is not in the format nettrace");
            _hasHeader = true;
        }

        while (_next == _blockEnd)
        {
            if (!TryReadObject())
            {
                return false;
            }
        }

        ReadBlob();
        Check(_descriptions.TryGetValue(_header.MetadataId, out EventDescription? description), "an event has no description");
        Description = description!;
        if (_header.CaptureThreadId != _lastThread)
        {
            _lastThread = _header.CaptureThreadId;
            CompleteTime = Math.Max(CompleteTime, _header.Time);
        }

        CountLost(_header.CaptureThreadId, _header.SequenceNumber);
        return true;
    }

    private static void Check([System.Diagnostics.CodeAnalysis.DoesNotReturnIf(false)] bool isValid, string problem)
    {
        if (!isValid)
        {
            throw new InvalidDataException($"The event stream cannot be read: {problem}.");
        }
    }

    private void CountLost(ulong thread, uint sequenceNumber)
    {
        ref uint last = ref CollectionsMarshal.GetValueRefOrAddDefault(_sequenceNumbers, thread, out bool isKnown);
        LostCount += isKnown ? Math.Max(0, (int)(sequenceNumber - last) - 1) : 0;
        last = sequenceNumber;
        Check(_sequenceNumbers.Count <= MaxThreads, "there are too many threads");
    }

    // ---- Objects: begin, type, content, end.
    private bool TryReadObject()
    {
        const byte NullReference = 1, BeginObject = 5, EndObject = 6;
        byte tag = ReadByte();
        if (tag == NullReference)
        {
            return false;
        }

        Check(tag == BeginObject && ReadByte() == BeginObject && ReadByte() == NullReference, "an object is damaged");
        (int version, int leastVersion, int length) = (ReadInt32(), ReadInt32(), ReadInt32());
        Check(length is > 0 and <= MaxTypeLength, "the name of a type is too long");
        Span<byte> type = stackalloc byte[length];
        ReadExactly(type);
        Check(ReadByte() == EndObject, "a type is damaged");
        if (type.SequenceEqual("Trace"u8))
        {
            Check(version == 4 && leastVersion <= 4, $"its version is {version}");
            Span<byte> trace = stackalloc byte[TraceBytes];
            ReadExactly(trace);
            _pointerBytes = BinaryPrimitives.ReadInt32LittleEndian(trace[32..]);
            Check(_pointerBytes is sizeof(uint) or sizeof(ulong), "the size of addresses is unknown");
        }
        else
        {
            Check(_pointerBytes > 0, "it does not start with its description");
            ReadBlock();
            Add(type);
        }

        Check(ReadByte() == EndObject, "an object is damaged");
        return true;
    }

    private void ReadBlock()
    {
        int length = ReadInt32();
        Check(length is >= 0 and <= MaxBlockBytes, "a block is too large");
        Span<byte> padding = stackalloc byte[(int)(-_readBytes & 3)];
        ReadExactly(padding);

        // The length may be wrong, so memory is allocated only for what has arrived.
        for (int read = 0; read < length;)
        {
            int some = Math.Min(length, Math.Max(_block.Length, 2 * Math.Max(read, BufferBytes)));
            if (_block.Length < some)
            {
                Array.Resize(ref _block, some);
            }

            ReadExactly(_block.AsSpan(read, some - read));
            read = some;
        }

        (_next, _blockEnd) = (0, length);
    }

    private void Add(ReadOnlySpan<byte> type)
    {
        if (type.SequenceEqual("EventBlock"u8))
        {
            StartBlobs();
            return;
        }

        if (type.SequenceEqual("MetadataBlock"u8))
        {
            for (StartBlobs(); _next < _blockEnd;)
            {
                ReadBlob();
                AddDescription(Payload);
            }

            return;
        }

        if (type.SequenceEqual("StackBlock"u8))
        {
            AddStacks();
        }
        else if (type.SequenceEqual("SPBlock"u8))
        {
            AddSequencePoint();
        }

        _next = _blockEnd; // the runtime may have new kinds of blocks
    }

    // { int metadataId; char provider[]; int eventId; char name[]; … }
    private void AddDescription(ReadOnlySpan<byte> payload)
    {
        Check(payload.Length >= sizeof(int), "a description is too short");
        int id = BinaryPrimitives.ReadInt32LittleEndian(payload);
        ReadOnlySpan<char> text = MemoryMarshal.Cast<byte, char>(payload[sizeof(int)..]);
        int length = text.IndexOf('\0');
        Check(length >= 0 && text.Length >= length + 3, "a description is too short");
        int eventId = text[length + 1] | (text[length + 2] << 16);
        _descriptions[id] = new EventDescription(new string(text[..length]), eventId);
        Check(_descriptions.Count <= MaxDescriptions, "there are too many descriptions");
    }

    // { int firstId; int count; { int bytes; … }[count] }
    private void AddStacks()
    {
        (uint id, int count) = ((uint)TakeInt32(), TakeInt32());
        for (int i = 0; i < count; i++)
        {
            int bytes = TakeInt32();
            ReadOnlySpan<byte> stack = Take(bytes);
            ulong[] addresses = new ulong[bytes / _pointerBytes];
            for (int a = 0; a < addresses.Length; a++)
            {
                ReadOnlySpan<byte> address = stack[(a * _pointerBytes)..];
                addresses[a] = _pointerBytes == sizeof(ulong)
                    ? BinaryPrimitives.ReadUInt64LittleEndian(address)
                    : BinaryPrimitives.ReadUInt32LittleEndian(address);
            }

            _stackAddresses += addresses.Length + 1;
            Check(_stackAddresses <= MaxStackAddresses, "there are too many stacks");
            _stacks[unchecked(id++)] = addresses;
        }
    }

    // { long time; int count; { long threadId; int sequenceNumber; }[count] }. The IDs of stacks start again.
    private void AddSequencePoint()
    {
        CompleteTime = Math.Max(CompleteTime, BinaryPrimitives.ReadInt64LittleEndian(Take(sizeof(long))));
        int count = TakeInt32();
        for (int i = 0; i < count; i++)
        {
            ulong thread = BinaryPrimitives.ReadUInt64LittleEndian(Take(sizeof(long)));
            CountLost(thread, (uint)TakeInt32() + 1);
            _sequenceNumbers[thread]--;
        }

        _stacks.Clear();
        _stackAddresses = 0;
    }

    // ---- Events, in a form in which each has only the differences from the previous one.
    private void StartBlobs()
    {
        const int FlagsEnd = 4, IsCompressed = 1;
        Check(_blockEnd >= FlagsEnd, "a block is too short");
        int headerBytes = BinaryPrimitives.ReadUInt16LittleEndian(_block);
        Check(headerBytes >= FlagsEnd && headerBytes <= _blockEnd, "a block is too short");
        Check((_block[2] & IsCompressed) != 0, "its events are not compressed");
        _next = headerBytes;
        _header = default;
    }

    private void ReadBlob()
    {
        const int Guid = 16;
        byte flags = Take(1)[0];
        if ((flags & 1) != 0)
        {
            _header.MetadataId = (int)TakeNumber();
        }

        if ((flags & 2) != 0)
        {
            _header.SequenceNumber += (uint)TakeNumber();
            _header.CaptureThreadId = TakeNumber();
            _ = TakeNumber(); // the processor
        }

        _header.SequenceNumber += _header.MetadataId != 0 ? 1u : 0;

        _header.ThreadId = (flags & 4) != 0 ? TakeNumber() : _header.ThreadId;
        _header.StackId = (flags & 8) != 0 ? (uint)TakeNumber() : _header.StackId;
        _header.Time += (long)TakeNumber();
        _ = Take(((flags & 16) != 0 ? Guid : 0) + ((flags & 32) != 0 ? Guid : 0)); // the IDs of activities
        ulong payload = (flags & 128) != 0 ? TakeNumber() : (ulong)_header.PayloadBytes;
        Check(payload <= (ulong)(_blockEnd - _next), "an event exceeds its block");
        _header.PayloadBytes = (int)payload;
        _payloadStart = _next;
        _next += _header.PayloadBytes;
    }

    private ReadOnlySpan<byte> Take(int bytes)
    {
        Check(bytes >= 0 && bytes <= _blockEnd - _next, "a block is too short");
        _next += bytes;
        return _block.AsSpan(_next - bytes, bytes);
    }

    private int TakeInt32() => BinaryPrimitives.ReadInt32LittleEndian(Take(sizeof(int)));

    /// <summary>Takes a number of seven bits for each byte, the lowest first.</summary>
    private ulong TakeNumber()
    {
        ulong number = 0;
        for (int shift = 0; shift < 64; shift += 7)
        {
            byte part = Take(1)[0];
            number |= (ulong)(part & 0x7F) << shift;
            if (part < 0x80)
            {
                return number;
            }
        }

        throw new InvalidDataException("The event stream cannot be read: a number is too long.");
    }

    // ---- The stream.
    private byte ReadByte()
    {
        Span<byte> one = stackalloc byte[1];
        ReadExactly(one);
        return one[0];
    }

    private int ReadInt32()
    {
        Span<byte> number = stackalloc byte[sizeof(int)];
        ReadExactly(number);
        return BinaryPrimitives.ReadInt32LittleEndian(number);
    }

    private void ReadExactly(Span<byte> bytes)
    {
        _readBytes += bytes.Length;
        while (bytes.Length > 0)
        {
            if (_start == _end)
            {
                (_start, _end) = (0, read(_buffer));
                Check(_end > 0, "it ends too early");
            }

            int some = Math.Min(bytes.Length, _end - _start);
            _buffer.AsSpan(_start, some).CopyTo(bytes);
            _start += some;
            bytes = bytes[some..];
        }
    }

    private struct BlobHeader
    {
        public int MetadataId;
        public uint SequenceNumber;
        public ulong CaptureThreadId;
        public ulong ThreadId;
        public uint StackId;
        public long Time;
        public int PayloadBytes;
    }
}

/// <summary>The provider of an event, and the number of the event, which is unique for the provider.</summary>
internal sealed record EventDescription(string Provider, int Id)
{
    public static readonly EventDescription Unknown = new("", 0);
}
