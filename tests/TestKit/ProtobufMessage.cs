using System.Buffers.Binary;
using System.Text;

namespace Picollo.TestKit;

/// <summary>A message in the protocol buffers encoding, read by field numbers. It supports only the types that metrics use.</summary>
internal sealed class ProtobufMessage
{
    private readonly List<(int Field, ulong Number, byte[] Bytes)> _fields = [];

    public ProtobufMessage(ReadOnlySpan<byte> encoded)
    {
        while (!encoded.IsEmpty)
        {
            ulong tag = ReadVarint(ref encoded);
            int field = (int)(tag >> 3);
            switch (tag & 7)
            {
                case 0:
                    _fields.Add((field, ReadVarint(ref encoded), []));
                    break;
                case 1:
                    _fields.Add((field, BinaryPrimitives.ReadUInt64LittleEndian(encoded), []));
                    encoded = encoded[8..];
                    break;
                case 2:
                    int length = (int)ReadVarint(ref encoded);
                    _fields.Add((field, 0, encoded[..length].ToArray()));
                    encoded = encoded[length..];
                    break;
                case 5:
                    _fields.Add((field, BinaryPrimitives.ReadUInt32LittleEndian(encoded), []));
                    encoded = encoded[4..];
                    break;
                default:
                    throw new FormatException($"Field {field} has the wire type {tag & 7}.");
            }
        }
    }

    /// <summary>Reads messages that are preceded by their lengths.</summary>
    public static IReadOnlyList<ProtobufMessage> Delimited(ReadOnlySpan<byte> encoded)
    {
        List<ProtobufMessage> all = [];
        while (!encoded.IsEmpty)
        {
            int length = (int)ReadVarint(ref encoded);
            all.Add(new ProtobufMessage(encoded[..length]));
            encoded = encoded[length..];
        }

        return all;
    }

    /// <summary>The fields in the order of the message, each with its field number and its value.</summary>
    public IReadOnlyList<(int Field, ulong Number, byte[] Bytes)> Fields => _fields;

    public IEnumerable<ProtobufMessage> Messages(int field) => Of(field).Select(value => new ProtobufMessage(value.Bytes));

    public ProtobufMessage Message(int field) => Messages(field).Single();

    public string Text(int field) => string.Concat(Of(field).Select(value => Encoding.UTF8.GetString(value.Bytes)));

    public string Hex(int field) => string.Concat(Of(field).Select(value => Convert.ToHexStringLower(value.Bytes)));

    public ulong Number(int field) => Of(field).Single().Number;

    public double Double(int field) => BitConverter.UInt64BitsToDouble(Number(field));

    public bool Has(int field) => Of(field).Any();

    /// <summary>Returns a signed number in zigzag encoding.</summary>
    public long Signed(int field) => Signed(Number(field));

    /// <summary>Returns packed signed numbers in zigzag encoding.</summary>
    public long[] PackedSigned(int field)
    {
        List<long> all = [];
        foreach ((_, _, byte[] bytes) in Of(field))
        {
            ReadOnlySpan<byte> rest = bytes;
            while (!rest.IsEmpty)
            {
                all.Add(Signed(ReadVarint(ref rest)));
            }
        }

        return [.. all];
    }

    /// <summary>Returns packed numbers.</summary>
    public ulong[] PackedNumbers(int field)
    {
        List<ulong> all = [];
        foreach ((_, _, byte[] bytes) in Of(field))
        {
            ReadOnlySpan<byte> rest = bytes;
            while (!rest.IsEmpty)
            {
                all.Add(ReadVarint(ref rest));
            }
        }

        return [.. all];
    }

    /// <summary>Returns packed 64-bit numbers.</summary>
    public ulong[] Packed(int field) =>
        [.. Of(field).SelectMany(value => value.Bytes.Chunk(8)).Select(bytes => BinaryPrimitives.ReadUInt64LittleEndian(bytes))];

    private static long Signed(ulong zigzag) => (long)(zigzag >> 1) ^ -(long)(zigzag & 1);

    private static ulong ReadVarint(ref ReadOnlySpan<byte> encoded)
    {
        ulong value = 0;
        for (int i = 0; ; i++)
        {
            value |= (ulong)(encoded[i] & 0x7f) << (7 * i);
            if (encoded[i] < 0x80)
            {
                encoded = encoded[(i + 1)..];
                return value;
            }
        }
    }

    private IEnumerable<(int Field, ulong Number, byte[] Bytes)> Of(int field) => _fields.Where(value => value.Field == field);
}
