using System.Buffers.Binary;

namespace Picollo.Export;

/// <summary>Reads the fields of a message in the wire format of Protocol Buffers
/// (https://protobuf.dev/programming-guides/encoding/).</summary>
internal ref struct ProtobufReader(ReadOnlySpan<byte> message)
{
    public const string BadNumber = "a number is too long or truncated";

    private const string Truncated = "it is truncated";
    private const int MaxNumberBits = 64;

    private readonly int _length = message.Length;
    private ReadOnlySpan<byte> _rest = message;

    public int Field { get; private set; }

    /// <summary>The value of a numeric field; 0 for other fields.</summary>
    public ulong Number { get; private set; }

    /// <summary>Whether the field is a number without a fixed length.</summary>
    public bool IsVarint { get; private set; }

    /// <summary>The text, message or packed numbers of the field; empty for other fields.</summary>
    public ReadOnlySpan<byte> Bytes { get; private set; }

    /// <summary>The position of <see cref="Bytes"/> in the message.</summary>
    public readonly Range Place => (_length - _rest.Length - Bytes.Length)..(_length - _rest.Length);

    /// <summary>The reason why <see cref="Read"/> returned <see langword="false"/> before the end; null at the end of a valid
    /// message.</summary>
    public string? Damage { get; private set; }

    /// <summary>Reads the next field; false at the end, and if the message is damaged.</summary>
    public bool Read()
    {
        if (_rest.IsEmpty)
        {
            return false;
        }

        Number = 0;
        Bytes = default;
        if (!TryReadNumber(ref _rest, out ulong tag))
        {
            return Fail(BadNumber);
        }

        if (tag >> 3 is 0 or > int.MaxValue)
        {
            return Fail(FormattableString.Invariant($"a field has the invalid number {tag >> 3}"));
        }

        Field = (int)(tag >> 3);
        IsVarint = (tag & 7) == 0;
        switch (tag & 7)
        {
            case 0:
                if (!TryReadNumber(ref _rest, out ulong number))
                {
                    return Fail(BadNumber);
                }

                Number = number;
                return true;
            case 1 when TryTake(sizeof(ulong), out ReadOnlySpan<byte> bytes):
                Number = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
                return true;
            case 2:
                if (!TryReadNumber(ref _rest, out ulong length))
                {
                    return Fail(BadNumber);
                }

                bool isComplete = TryTake(length, out ReadOnlySpan<byte> content);
                Bytes = content;
                return isComplete || Fail(Truncated);
            case 5 when TryTake(sizeof(uint), out ReadOnlySpan<byte> bytes):
                Number = BinaryPrimitives.ReadUInt32LittleEndian(bytes);
                return true;
            case 1 or 5:
                return Fail(Truncated);
            default:
                return Fail(FormattableString.Invariant($"a field has the unknown type {tag & 7}"));
        }
    }

    /// <summary>Finds the text or message of a field, the last if there are several.</summary>
    /// <param name="message">The message.</param>
    /// <param name="field">The number of the field.</param>
    /// <param name="bytes">The bytes of the field; empty if it is missing.</param>
    /// <returns>Whether the message consists of complete fields.</returns>
    public static bool TryFind(ReadOnlySpan<byte> message, int field, out ReadOnlySpan<byte> bytes)
    {
        bytes = default;
        ProtobufReader fields = new(message);
        while (fields.Read())
        {
            bytes = fields.Field == field ? fields.Bytes : bytes;
        }

        return fields.Damage is null;
    }

    /// <summary>Reads a number, as in a packed field.</summary>
    public static bool TryReadNumber(ref ReadOnlySpan<byte> rest, out ulong number)
    {
        number = 0;
        for (int i = 0, shift = 0; i < rest.Length && shift < MaxNumberBits; i++, shift += 7)
        {
            number |= (ulong)(rest[i] & 0x7F) << shift;
            if (rest[i] < 0x80)
            {
                rest = rest[(i + 1)..];
                return true;
            }
        }

        return false;
    }

    private bool Fail(string damage)
    {
        Damage = damage;
        _rest = default;
        return false;
    }

    private bool TryTake(ulong length, out ReadOnlySpan<byte> taken)
    {
        bool isComplete = length <= (ulong)_rest.Length;
        taken = isComplete ? _rest[..(int)length] : default;
        _rest = isComplete ? _rest[(int)length..] : _rest;
        return isComplete;
    }
}
