using System.Buffers;

namespace Picollo.Export.Tests;

/// <summary>
/// As unhelpful as a buffer writer may be: gives no more memory than is asked for, or a few bytes where nothing is asked, new memory each time, and
/// refuses to advance where no memory was asked for or beyond it. What is written to memory after it was handed over is lost.
/// </summary>
internal sealed class StrictBufferWriter : IBufferWriter<byte>
{
    private readonly List<byte> _written = [];
    private byte[]? _memory;

    public byte[] Written => [.. _written];

    public void Advance(int count)
    {
        byte[] memory = _memory ?? throw new InvalidOperationException("No memory was asked for.");
        _written.AddRange(memory.AsSpan(0, count));
        _memory = null;
    }

    public Memory<byte> GetMemory(int sizeHint = 0) => _memory = new byte[Math.Max(sizeHint, 3)];

    public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;
}
