using System.Text;

namespace Picollo.Profiling.Tests.Events;

/// <summary>Builds streams in the format nettrace.</summary>
internal sealed class NettraceStream
{
    private readonly List<byte> _bytes = [.. "Nettrace\x14\0\0\0!FastSerialization.1"u8];
    private readonly int _pointerBytes;

    public NettraceStream(int pointerBytes = 8, int version = 4)
    {
        _pointerBytes = pointerBytes;
        Start("Trace", version);
        _bytes.AddRange([.. new byte[32], .. Int(pointerBytes), .. new byte[12], EndObject]);
    }

    private const byte Null = 1, BeginObject = 5, EndObject = 6;

    public byte[] ToArray() => [.. _bytes, Null];

    public NettraceStream Describe(int id, string provider, int eventId) => Blobs(
        "MetadataBlock",
        [0x80, 0, .. Payload([.. Int(id), .. Encoding.Unicode.GetBytes(provider + '\0'), .. Int(eventId), .. new byte[20]])]);

    public NettraceStream Stacks(int firstId, params ulong[][] stacks) => Block(
        "StackBlock",
        [
            .. Int(firstId), .. Int(stacks.Length),
            .. stacks.SelectMany(stack => (byte[])[.. Int(stack.Length * _pointerBytes), .. stack.SelectMany(AddressBytes)]),
        ]);

    public NettraceStream SequencePoint(long time, params (long Thread, int Number)[] threads) => Block(
        "SPBlock",
        [.. BitConverter.GetBytes(time), .. Int(threads.Length), .. threads.SelectMany(each => (byte[])[.. BitConverter.GetBytes(each.Thread), .. Int(each.Number)])]);

    /// <summary>Adds a block of events. As in the runtime, each has only what differs from the previous one.</summary>
    public NettraceStream Events(params Written[] events)
    {
        List<byte> blobs = [];
        Written last = new(0, 0, 0, 0, 0, []);
        foreach (Written next in events)
        {
            bool isNextInThread = next.Thread == last.Thread && next.Number == last.Number + 1;
            int flags = (next.Id != last.Id ? 1 : 0) | (isNextInThread ? 0 : 2) | (next.Thread != last.Thread ? 4 : 0) | (next.Stack != last.Stack ? 8 : 0)
                | (next.Payload.Length != last.Payload.Length ? 128 : 0) | next.Activities;
            blobs.Add((byte)flags);
            blobs.AddRange([.. Number(next.Id, flags & 1), .. Number((uint)(next.Number - last.Number - 1), flags & 2), .. Number(next.Thread, flags & 2), .. Number(0, flags & 2)]);
            blobs.AddRange([.. Number(next.Thread, flags & 4), .. Number(next.Stack, flags & 8), .. Number(next.Time - last.Time, 1)]);
            blobs.AddRange([.. new byte[16 * int.PopCount(next.Activities)], .. Number(next.Payload.Length, flags & 128)]);
            blobs.AddRange(next.Payload);
            last = next;
        }

        return Blobs("EventBlock", [.. blobs]);
    }

    public NettraceStream Block(string type, byte[] content)
    {
        Start(type, 2);
        _bytes.AddRange(Int(content.Length));
        _bytes.AddRange([.. new byte[-_bytes.Count & 3], .. content, EndObject]);
        return this;
    }

    private NettraceStream Blobs(string type, byte[] blobs) => Block(type, [20, 0, 1, 0, .. new byte[16], .. blobs]);

    private void Start(string type, int version) =>
        _bytes.AddRange([BeginObject, BeginObject, Null, .. Int(version), .. Int(version), .. Int(type.Length), .. Encoding.ASCII.GetBytes(type), EndObject]);

    private byte[] AddressBytes(ulong address) => BitConverter.GetBytes(address)[.._pointerBytes];

    private static byte[] Payload(byte[] payload) => [.. Number(payload.Length, 1), .. payload];

    private static byte[] Int(int number) => BitConverter.GetBytes(number);

    private static IEnumerable<byte> Number(long number, int isPresent)
    {
        for (ulong rest = (ulong)number; isPresent != 0; rest >>= 7)
        {
            isPresent = rest >= 0x80 ? 1 : 0;
            yield return (byte)((rest & 0x7F) | (rest >= 0x80 ? 0x80u : 0));
        }
    }

    /// <summary>An event with the number of its description, and its number in the thread. The activities are 16 for its own, 32 for the
    /// related one, or both.</summary>
    public readonly record struct Written(int Id, int Number, long Thread, int Stack, long Time, byte[] Payload, int Activities = 0);
}
