using System.Buffers;

namespace Picollo.Metrics;

/// <summary>A copy of a histogram's counters in a pooled buffer, for one call to answer from.</summary>
internal struct CountsCopy(int length) : IDisposable
{
    private ulong[]? _buffer = ArrayPool<ulong>.Shared.Rent(length);

    public ulong Underflow { get; private set; }

    public ulong Overflow { get; private set; }

    public readonly ReadOnlySpan<ulong> Counts => Writable;

    public readonly Span<ulong> Writable => _buffer.AsSpan(0, length);

    public void SetOutOfRange((ulong Underflow, ulong Overflow) counts) => (Underflow, Overflow) = counts;

    public void Dispose()
    {
        if (_buffer is { } buffer)
        {
            _buffer = null;
            ArrayPool<ulong>.Shared.Return(buffer);
        }
    }
}
