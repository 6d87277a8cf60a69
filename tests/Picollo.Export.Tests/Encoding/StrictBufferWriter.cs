namespace Picollo.Export.Tests;

/// <summary>
/// A buffer writer that is as strict as the contract allows. Each call returns new memory, with no more bytes than requested, or a few
/// bytes if no size is specified. It throws if the caller advances without memory or beyond it. Data written to memory after Advance is
/// lost.
/// </summary>
internal sealed class StrictBufferWriter : IBufferWriter<byte>
{
    private readonly List<byte> _written = [];
    private byte[]? _memory;

    public byte[] Written => [.. _written];

    public void Advance(int count)
    {
        byte[] memory = _memory ?? throw new InvalidOperationException("No memory was requested.");
        _written.AddRange(memory.AsSpan(0, count));
        _memory = null;
    }

    public Memory<byte> GetMemory(int sizeHint = 0) => _memory = new byte[Math.Max(sizeHint, 3)];

    public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;
}
