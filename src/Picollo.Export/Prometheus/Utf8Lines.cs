using System.Buffers.Text;

namespace Picollo.Export;

/// <summary>Writes bytes to a buffer writer, and requests memory from it as rarely as possible.</summary>
internal ref struct Utf8Lines(IBufferWriter<byte> output)
{
    /// <summary>The maximum number of bytes of a number.</summary>
    public const int NumberLength = 32;

    /// <summary>The number of bytes that each request after the first asks for. By default, an HTTP response provides 4 KB and sends each
    /// span as a chunk: a scrape of 3 MB took twice as long (November 2026).</summary>
    private const int SpanLength = 1 << 16;

    private Span<byte> _free;
    private int _written;

    public void Reserve(int length)
    {
        if (_free.Length < length)
        {
            bool isFirst = _written == 0;
            Flush();
            _free = output.GetSpan(isFirst ? length : Math.Max(length, SpanLength));
        }
    }

    /// <summary>Writes bytes. Space must be reserved.</summary>
    public void Write(scoped ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_free);
        Skip(bytes.Length);
    }

    /// <summary>Writes text and reserves the space.</summary>
    public void WriteText(string text)
    {
        Reserve(Encoding.UTF8.GetMaxByteCount(text.Length));
        Skip(Encoding.UTF8.GetBytes(text, _free));
    }

    /// <summary>Writes a line with a number near its end and reserves the space. Most lines of an exposition have this form. For each, the
    /// state of this writer is read and written once instead of four times.</summary>
    public void WriteLine(scoped ReadOnlySpan<byte> start, scoped ReadOnlySpan<byte> rest, ulong number, scoped ReadOnlySpan<byte> end)
    {
        Reserve(start.Length + rest.Length + NumberLength + end.Length + 1);
        Span<byte> free = _free;
        start.CopyTo(free);
        rest.CopyTo(free[start.Length..]);
        int length = start.Length + rest.Length;
        bool fits = Utf8Formatter.TryFormat(number, free[length..], out int digits);
        Debug.Assert(fits, "there is room for the longest number");
        length += digits;
        end.CopyTo(free[length..]);
        length += end.Length;
        free[length] = (byte)'\n';
        Skip(length + 1);
    }

    /// <summary>Writes a number as the shortest decimal that parses to the same number. Space must be reserved.</summary>
    public void Write(double number)
    {
        if (double.IsInfinity(number))
        {
            Write(number > 0 ? "+Inf"u8 : "-Inf"u8);
            return;
        }

        bool fits = number.TryFormat(_free, out int length, default, CultureInfo.InvariantCulture);
        Debug.Assert(fits, "there is room for the longest number");
        Skip(length);
    }

    /// <summary>Commits the written bytes. This must be the last call.</summary>
    public void Flush()
    {
        if (_written > 0)
        {
            output.Advance(_written); // not 0 without requested memory, which Kestrel's writer rejects
        }

        _free = default;
        _written = 0;
    }

    private void Skip(int length)
    {
        _free = _free[length..];
        _written += length;
    }
}
