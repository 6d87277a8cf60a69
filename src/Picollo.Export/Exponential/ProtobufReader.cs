namespace Picollo.Export;

/// <summary>Reads fields of a message in the wire format of Protocol Buffers. Invalid data is treated as the end of the message.</summary>
internal readonly ref struct ProtobufReader(ReadOnlySpan<byte> message)
{
    private const int Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5;

    private readonly ReadOnlySpan<byte> _message = message;

    /// <summary>Whether the message consists of complete fields. The contents of its messages are not checked.</summary>
    public bool IsValid => Find(0, out _, out _);

    /// <summary>Returns the last number with a field number; 0 if there is none.</summary>
    public ulong NumberAt(int field)
    {
        Find(field, out ulong number, out _);
        return number;
    }

    /// <summary>Returns the last message with a field number; an empty message if there is none.</summary>
    public ProtobufReader MessageAt(int field)
    {
        Find(field, out _, out ReadOnlySpan<byte> bytes);
        return new ProtobufReader(bytes);
    }

    /// <summary>Finds the last field with a number. Returns whether the message is valid.</summary>
    private bool Find(int field, out ulong number, out ReadOnlySpan<byte> bytes)
    {
        number = 0;
        bytes = default;
        ReadOnlySpan<byte> rest = _message;
        while (TryRead(ref rest, out ulong key))
        {
            ulong value = 0;
            int skipped = (int)(key & 7) switch { Fixed64 => sizeof(ulong), Fixed32 => sizeof(uint), _ => 0 };
            if ((int)(key & 7) is Varint or Bytes && !TryRead(ref rest, out value))
            {
                return false;
            }

            ulong length = (key & 7) == Bytes ? value : (ulong)skipped;
            if (length > (ulong)rest.Length || (key & 7) is not (Varint or Fixed64 or Bytes or Fixed32))
            {
                return false;
            }

            if (key >> 3 == (ulong)field)
            {
                number = value;
                bytes = rest[..(int)length];
            }

            rest = rest[(int)length..];
        }

        return rest.IsEmpty;
    }

    private static bool TryRead(ref ReadOnlySpan<byte> rest, out ulong number)
    {
        number = 0;
        for (int i = 0; i < rest.Length && i < 10; i++)
        {
            number |= (ulong)(rest[i] & 0x7F) << (7 * i);
            if (rest[i] < 0x80)
            {
                rest = rest[(i + 1)..];
                return true;
            }
        }

        return false;
    }
}
