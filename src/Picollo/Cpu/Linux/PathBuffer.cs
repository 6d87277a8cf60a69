using System.Buffers.Text;

namespace Picollo.Cpu.Linux;

/// <summary>A path that is put together in a caller's buffer, which is taken to be long enough, and ends with a zero.</summary>
internal ref struct PathBuffer(Span<byte> buffer)
{
    private readonly Span<byte> _buffer = buffer;
    private int _length;

    /// <summary>The path with its zero.</summary>
    public readonly ReadOnlySpan<byte> Terminated
    {
        get
        {
            _buffer[_length] = 0;
            return _buffer[..(_length + 1)];
        }
    }

    public void Append(ReadOnlySpan<byte> text)
    {
        text.CopyTo(_buffer[_length..]);
        _length += text.Length;
    }

    public void Append(int number)
    {
        Utf8Formatter.TryFormat(number, _buffer[_length..], out int written);
        _length += written;
    }
}
