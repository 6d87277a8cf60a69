using System.Buffers.Binary;

namespace Picollo.Profiling;

/// <summary>Reads the fields of a message in the wire format of Protocol Buffers
/// (https://protobuf.dev/programming-guides/encoding/).</summary>
internal ref struct ProtobufReader(ReadOnlySpan<byte> message)
{
    private const int MaxNumberBits = 64;

    private readonly int _length = message.Length;
    private ReadOnlySpan<byte> _rest = message;

    /// <summary>The number of the field.</summary>
    public int Field { get; private set; }

    /// <summary>The value of a numeric field; 0 for other fields.</summary>
    public ulong Number { get; private set; }

    /// <summary>The text, message or packed numbers of the field; empty for other fields.</summary>
    public ReadOnlySpan<byte> Bytes { get; private set; }

    /// <summary>The position of <see cref="Bytes"/> in the message.</summary>
    public readonly Range Place => (_length - _rest.Length - Bytes.Length)..(_length - _rest.Length);

    private bool IsNumber { get; set; }

    /// <summary>Reads the next field.</summary>
    /// <returns>False at the end.</returns>
    /// <exception cref="InvalidDataException">The message is damaged.</exception>
    public bool Read()
    {
        if (_rest.IsEmpty)
        {
            return false;
        }

        ulong tag = ReadNumber(ref _rest);
        Number = 0;
        Bytes = default;
        IsNumber = false;
        Field = tag >> 3 is > 0 and <= int.MaxValue and var field ? (int)field : throw Damage($"a field has the invalid number {tag >> 3}");
        switch (tag & 7)
        {
            case 0:
                (Number, IsNumber) = (ReadNumber(ref _rest), true);
                break;
            case 1:
                Number = BinaryPrimitives.ReadUInt64LittleEndian(Take(sizeof(ulong)));
                break;
            case 2:
                Bytes = Take(ReadNumber(ref _rest));
                break;
            case 5:
                Number = BinaryPrimitives.ReadUInt32LittleEndian(Take(sizeof(uint)));
                break;
            default:
                throw Damage($"a field has the unknown type {tag & 7}");
        }

        return true;
    }

    /// <summary>Adds the numbers of a repeated field, packed or not.</summary>
    /// <param name="numbers">The list to add to.</param>
    /// <param name="maxCount">The maximum number of entries.</param>
    public readonly void AddTo(List<ulong> numbers, int maxCount)
    {
        if (IsNumber)
        {
            numbers.Add(Number);
        }

        for (ReadOnlySpan<byte> rest = Bytes; !rest.IsEmpty && numbers.Count <= maxCount;)
        {
            numbers.Add(ReadNumber(ref rest));
        }

        if (numbers.Count > maxCount)
        {
            throw TooLarge($"a list has more than {maxCount:N0} entries");
        }
    }

    public static InvalidDataException TooLarge(FormattableString what) =>
        new($"The profile is too large: {FormattableString.Invariant(what)}.");

    public static InvalidDataException Damage(FormattableString what) =>
        new($"This is not a pprof profile, or it is damaged: {FormattableString.Invariant(what)}.");

    private static ulong ReadNumber(ref ReadOnlySpan<byte> rest)
    {
        ulong number = 0;
        for (int i = 0, shift = 0; i < rest.Length && shift < MaxNumberBits; i++, shift += 7)
        {
            number |= (ulong)(rest[i] & 0x7F) << shift;
            if (rest[i] < 0x80)
            {
                rest = rest[(i + 1)..];
                return number;
            }
        }

        throw Damage($"a number is too long or truncated");
    }

    private ReadOnlySpan<byte> Take(ulong length)
    {
        if (length > (ulong)_rest.Length)
        {
            throw Damage($"it is truncated");
        }

        ReadOnlySpan<byte> taken = _rest[..(int)length];
        _rest = _rest[(int)length..];
        return taken;
    }
}
