using System.Buffers;
using System.Buffers.Binary;
using System.IO.Compression;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Picollo.Export;

/// <summary>Writes a histogram in the HdrHistogram family's V2 format; the work behind <see cref="HdrHistogramEncoding"/>.</summary>
internal sealed class HdrHistogramEncoder : IDisposable
{
    // Counters that are looked at together, as many as a mask has bits, and the bytes they take at the most: a run of zeros and a count
    // each, and for what was left over.
    private const int GroupSize = 64;
    private const int MostOfGroup = 2 * (GroupSize + 1) * ZigZag.MaxLength;

    private byte[] _buffer = ArrayPool<byte>.Shared.Rent(4096);
    private int _length;

    public ReadOnlySpan<byte> Written => _buffer.AsSpan(0, _length);

    /// <summary>The smallest value of the last bucket in use; 0 where none is.</summary>
    public ulong LargestStart { get; private set; }

    /// <summary>Encodes a histogram, in place of what was written before.</summary>
    /// <exception cref="ArgumentException">A value or the number of values is above 2^63-1.</exception>
    public void Encode(ReadOnlyHdrHistogram histogram, bool compress)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        int digits = EncodedHeader.DigitsOf(histogram.BlockSize);
        double relativeError = HdrHistogramSettings.RelativeErrorOf(digits);
        int mostUnitScale = HdrLayout.MaxUnitAndBlockScale - new HdrLayout(relativeError).BlockScale;
        var target = new HdrLayout(relativeError, Math.Min(histogram.Layout.UnitScale, mostUnitScale));
        using CountsCopy copy = histogram.Read();
        int last = copy.Counts.LastIndexOfAnyExcept(0UL);
        LargestStart = last < 0 ? 0 : histogram.Layout.StartOf(histogram.FirstIndex + (uint)last);
        if (LargestStart > long.MaxValue)
        {
            throw new ArgumentException(
                $"A value of {LargestStart} or more is above 2^63-1, the largest that the format holds.", nameof(histogram));
        }

        WriteCounts(histogram, copy.Counts[..(last + 1)], target);
        ulong largest = target == histogram.Layout || last < 0
            ? LargestStart
            : histogram.Layout.MidpointOf(histogram.FirstIndex + (uint)last);
        EncodedHeader.Write(
            _buffer, _length - EncodedHeader.MaxLength, digits, 1L << target.UnitScale, (long)HighestTrackable(histogram, largest));
        if (compress)
        {
            Compress();
        }
    }

    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
    }

    /// <summary>The range as it is, or, where that passes what the format holds, up to the largest value: a reader allocates it
    /// all.</summary>
    public static ulong HighestTrackable(ReadOnlyHdrHistogram histogram, ulong largest) =>
        Math.Max(
            histogram.MaxTrackableValue <= long.MaxValue ? Math.Max(histogram.MaxTrackableValue, largest) : largest,
            2 * histogram.LowestDiscernibleValue);

    /// <summary>Replaces what is written by its compressed form.</summary>
    private void Compress()
    {
        using var compressed = new MemoryStream(EncodedHeader.CompressedLength + (_length / 2));
        compressed.Position = EncodedHeader.CompressedLength;
        using (var zlib = new ZLibStream(compressed, CompressionLevel.Optimal, leaveOpen: true))
        {
            zlib.Write(Written);
        }

        int length = (int)compressed.Length;
        Reserve(length);
        _length = length;
        compressed.GetBuffer().AsSpan(0, length).CopyTo(_buffer);
        BinaryPrimitives.WriteUInt32BigEndian(_buffer, EncodedHeader.V2CompressedCookie);
        BinaryPrimitives.WriteInt32BigEndian(_buffer.AsSpan(4), _length - EncodedHeader.CompressedLength);
    }

    /// <summary>Writes the counts of a histogram, up to the last that is not zero, at their places in the target's layout.</summary>
    private void WriteCounts(ReadOnlyHdrHistogram histogram, ReadOnlySpan<ulong> counts, HdrLayout target)
    {
        bool sameBuckets = target == histogram.Layout;
        double drift = 0;
        uint origin = target.Origin;
        int length = EncodedHeader.MaxLength;
        ulong total = 0;
        long place = 0; // of the count at hand, not yet written: in a coarser layout others may follow to the same place
        ulong count = 0;
        long next = 0; // the first place that nothing is written of yet
        Reserve(length + MostOfGroup);
        Span<byte> buffer = _buffer;
        for (int from = 0; from < counts.Length; from += GroupSize)
        {
            ReadOnlySpan<ulong> group = counts.Slice(from, Math.Min(GroupSize, counts.Length - from));
            if (buffer.Length < length + MostOfGroup)
            {
                _length = length;
                Reserve(2 * _buffer.Length);
                buffer = _buffer;
            }

            for (ulong used = FindUsed(group); used != 0; used &= used - 1)
            {
                int i = BitOperations.TrailingZeroCount(used);
                ulong added = group[i];
                total += added;
                if ((long)(total | added) < 0)
                {
                    throw new ArgumentException("More than 2^63-1 values are counted, the most that the format holds.", nameof(histogram));
                }

                uint counter = histogram.FirstIndex + (uint)(from + i);
                if (sameBuckets) // no two counters at one place: nothing to wait for, a tenth of the time
                {
                    counter -= origin;
                    length = WriteCount(buffer, length, counter - next, added);
                    next = counter + 1L;
                    continue;
                }

                long to = PlaceIn(target, histogram.Layout, counter, added, ref drift) - origin;
                if (to != place)
                {
                    length = WriteCount(buffer, length, place - next, count);
                    next = count == 0 ? next : place + 1;
                    (place, count) = (to, 0);
                }

                count += added;
            }
        }

        length = WriteCount(buffer, length, place - next, count);

        // An empty histogram is a zero for the value 0.
        _length = total == 0 ? length + ZigZag.Write(buffer[length..], 0) : length;
    }

    /// <summary>The bucket of another layout for a count: that of the middle. In a finer one the middle is the border of two buckets, and
    /// the count goes to the one that brings the sum of all values nearer to what it was. (Half to each would be twice as long.)</summary>
    private static uint PlaceIn(in HdrLayout target, in HdrLayout layout, uint index, ulong count, ref double drift)
    {
        ulong middle = layout.MidpointOf(index);
        uint above = target.IndexOf(middle);
        bool isFiner = layout.StepScaleOf(index) > target.StepScaleOf(above);
        uint place = isFiner && drift > 0 ? target.IndexOf(middle - 1) : above;
        drift += isFiner ? ((double)target.MidpointOf(place) - middle) * count : 0;
        return place;
    }

    /// <summary>A bit for each counter of a group that is not zero, the first the lowest.</summary>
    private static ulong FindUsed(ReadOnlySpan<ulong> group)
    {
        ulong used = 0;
        int i = 0;
        for (; i <= group.Length - Vector256<ulong>.Count; i += Vector256<ulong>.Count)
        {
            uint zeros = Vector256.Equals(Vector256.Create(group[i..]), Vector256<ulong>.Zero).ExtractMostSignificantBits();
            used |= (ulong)(zeros ^ 0xf) << i;
        }

        for (; i < group.Length; i++)
        {
            used |= group[i] == 0 ? 0 : 1UL << i;
        }

        return used;
    }

    /// <summary>Writes a count, unless it is 0, after the zeros before it: a run as its negative length, a single one as itself.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int WriteCount(Span<byte> target, int length, long zeros, ulong count)
    {
        if (count == 0)
        {
            return length;
        }

        // Written also where there are none, and then over: whether there are some is as good as random.
        int written = ZigZag.Write(target[length..], zeros == 1 ? 0 : -zeros);
        length += zeros > 0 ? written : 0;
        return length + ZigZag.Write(target[length..], (long)count);
    }

    private void Reserve(int capacity)
    {
        if (_buffer.Length < capacity)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(capacity);
            Written.CopyTo(larger);
            ArrayPool<byte>.Shared.Return(_buffer);
            _buffer = larger;
        }
    }
}
