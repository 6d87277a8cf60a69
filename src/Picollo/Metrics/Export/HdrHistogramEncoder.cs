using System.Buffers;
using System.Buffers.Binary;
using System.IO.Compression;

namespace Picollo.Metrics.Export;

/// <summary>Writes a histogram in the HdrHistogram family's V2 format; the work behind <see cref="HdrHistogramEncoding"/>.</summary>
internal sealed class HdrHistogramEncoder : IDisposable
{
    private byte[] _buffer = ArrayPool<byte>.Shared.Rent(4096);
    private int _length;

    // The count at hand, of the bucket at _index, not yet written: others may follow into the same bucket.
    private long _index;
    private ulong _count;

    // The first bucket that nothing is written of yet.
    private long _next;

    public ReadOnlySpan<byte> Written => _buffer.AsSpan(0, _length);

    /// <summary>The smallest value of the last bucket in use; 0 where none is.</summary>
    public ulong LargestStart { get; private set; }

    public void Encode(ReadOnlyHdrHistogram histogram)
    {
        int digits = EncodedHeader.DigitsOf(histogram.BlockSize);
        var target = new HdrLayout(HdrHistogramSettings.RelativeErrorOf(digits));
        bool sameBuckets = target.BlockSize == histogram.BlockSize;
        using CountsCopy copy = histogram.Read();
        ReadOnlySpan<ulong> counts = copy.Counts;
        (_length, _index, _count, _next) = (EncodedHeader.MaxLength, 0, 0, 0);
        ulong total = 0;
        ulong lastStart = 0;
        ulong lastWritten = 0;
        for (int i = counts.IndexOfAnyExcept(0UL); i >= 0; i = NextUsed(counts, i))
        {
            uint index = histogram.FirstIndex + (uint)i;
            lastStart = histogram.Layout.StartOf(index);
            lastWritten = sameBuckets ? lastStart : histogram.Layout.MidpointOf(index);
            Add(sameBuckets ? index : target.IndexOf(lastWritten), counts[i]);
            total += counts[i];
            if (lastStart > long.MaxValue)
            {
                throw new ArgumentException($"A value of {lastStart} or more is above 2^63-1, the largest that the format holds.", nameof(histogram));
            }

            if (total > long.MaxValue || counts[i] > long.MaxValue)
            {
                throw new ArgumentException("More than 2^63-1 values are counted, the most that the format holds.", nameof(histogram));
            }
        }

        WriteCount();
        if (_length == EncodedHeader.MaxLength)
        {
            Write(0); // an empty histogram: a zero for the value 0
        }

        EncodedHeader.Write(_buffer, _length - EncodedHeader.MaxLength, digits, (long)HighestTrackable(histogram, lastWritten));
        LargestStart = lastStart;
    }

    /// <summary>Replaces what is written by its compressed form.</summary>
    public void Compress()
    {
        const int HeaderLength = 8;
        using var compressed = new MemoryStream(HeaderLength + (_length / 2));
        compressed.Position = HeaderLength;
        using (var zlib = new ZLibStream(compressed, CompressionLevel.Optimal, leaveOpen: true))
        {
            zlib.Write(Written);
        }

        _length = (int)compressed.Length;
        Reserve(0);
        compressed.Position = 0;
        compressed.ReadExactly(_buffer.AsSpan(0, _length));
        BinaryPrimitives.WriteUInt32BigEndian(_buffer, EncodedHeader.V2CompressedCookie);
        BinaryPrimitives.WriteInt32BigEndian(_buffer.AsSpan(4), _length - HeaderLength);
    }

    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
    }

    /// <summary>The range as it is, or, where that passes what the format holds, up to the largest value: a reader allocates it all.</summary>
    public static ulong HighestTrackable(ReadOnlyHdrHistogram histogram, ulong largest) =>
        Math.Max(histogram.MaxTrackableValue <= long.MaxValue ? Math.Max(histogram.MaxTrackableValue, largest) : largest, 2);

    private static int NextUsed(ReadOnlySpan<ulong> counts, int i)
    {
        int next = i + 1;
        if ((uint)next < (uint)counts.Length && counts[next] != 0)
        {
            return next;
        }

        int skipped = counts[next..].IndexOfAnyExcept(0UL);
        return skipped < 0 ? -1 : next + skipped;
    }

    private void Add(uint index, ulong count)
    {
        if (index != _index)
        {
            WriteCount();
            _index = index;
        }

        _count += count;
    }

    private void WriteCount()
    {
        if (_count == 0)
        {
            return;
        }

        // A run of zeros as its negative length, a single one as itself.
        long zeros = _index - _next;
        if (zeros > 0)
        {
            Write(zeros == 1 ? 0 : -zeros);
        }

        Write((long)_count);
        (_next, _count) = (_index + 1, 0);
    }

    private void Write(long number)
    {
        Reserve(ZigZag.MaxLength);
        _length += ZigZag.Write(_buffer.AsSpan(_length), number);
    }

    private void Reserve(int more)
    {
        if (_buffer.Length < _length + more)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(2 * _buffer.Length, _length + more));
            _buffer.CopyTo(larger, 0);
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = larger;
        }
    }
}
