using System.Buffers.Text;

namespace Picollo.Cpu.Linux;

/// <summary>Splits a line of a file in /proc at spaces. A number is valid only if a space or a line break follows it, because a truncated
/// number has a different value.</summary>
internal ref struct TextFields(ReadOnlySpan<byte> text)
{
    private ReadOnlySpan<byte> _rest = text;

    /// <summary>Reads the next field; false, with an empty field, at the end.</summary>
    public bool TryNext(out ReadOnlySpan<byte> field)
    {
        _rest = _rest.TrimStart((byte)' ');
        int end = _rest.IndexOfAny((byte)' ', (byte)'\n');
        field = end <= 0 ? default : _rest[..end];
        _rest = end <= 0 ? default : _rest[end..];
        return end > 0;
    }

    /// <summary>Reads the next field as a count, which is clamped to <see cref="long.MaxValue"/>.</summary>
    public bool TryNextCount(out long value)
    {
        value = 0;
        return TryNext(out ReadOnlySpan<byte> field) && TryParseCount(field, out value);
    }

    public bool TryNextInt(out int value)
    {
        value = 0;
        return TryNext(out ReadOnlySpan<byte> field) && Utf8Parser.TryParse(field, out value, out int length) && length == field.Length;
    }

    /// <summary>Reads the next field as a decimal number, finite and not negative.</summary>
    public bool TryNextDecimal(out double value)
    {
        value = 0;
        return TryNext(out ReadOnlySpan<byte> field) && TryParseDecimal(field, out value);
    }

    public bool Skip(int fields)
    {
        while (fields > 0 && TryNext(out _))
        {
            fields--;
        }

        return fields == 0;
    }

    public static bool TryParseCount(ReadOnlySpan<byte> field, out long value)
    {
        bool isNumber = Utf8Parser.TryParse(field, out ulong count, out int length) && length == field.Length;
        value = (long)Math.Min(count, long.MaxValue);
        return isNumber;
    }

    public static bool TryParseDecimal(ReadOnlySpan<byte> field, out double value) =>
        Utf8Parser.TryParse(field, out value, out int length) && length == field.Length && value is >= 0 and < double.PositiveInfinity;

    /// <summary>Removes the first line from a text; false at the end, and for a last line without a line ending, which may be
    /// truncated.</summary>
    public static bool TryTakeLine(ref ReadOnlySpan<byte> text, out ReadOnlySpan<byte> line)
    {
        int end = text.IndexOf((byte)'\n');
        line = end < 0 ? default : text[..(end + 1)];
        text = end < 0 ? default : text[(end + 1)..];
        return end >= 0;
    }

    /// <summary>Converts a count to another unit, clamped to <see cref="long.MaxValue"/>.</summary>
    public static long Scale(long count, long factor) => count > long.MaxValue / factor ? long.MaxValue : count * factor;
}
