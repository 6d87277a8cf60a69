using System.Buffers;

namespace Picollo.Metrics;

/// <summary>The counts of a histogram's used buckets at one moment, in pooled memory, for exporters and other code that needs every count.
/// <see cref="ReadOnlyHdrHistogram.GetCounts"/> reads them.</summary>
/// <remarks>
/// <para>Dispose it to return the memory to the pool. Without that, the garbage collector frees the memory. Disposal is idempotent, and
/// members that need the memory throw afterwards. A span of <see cref="AsSpan"/> must not be used after disposal: its memory may then
/// belong to other code.</para>
/// <para>Thread-safe, except that no other thread may use it while it is being filled or disposed.</para>
/// <example>
/// <code>
/// using HdrHistogramCounts counts = histogram.GetCounts();
/// ReadOnlySpan&lt;ulong&gt; used = counts.AsSpan();
/// for (int i = 0; i &lt; used.Length; i++)
/// {
///     if (used[i] != 0)
///     {
///         Console.WriteLine($"{counts.Layout.GetEnd(counts.FirstIndex + i)}: {used[i]}");
///     }
/// }
/// </code>
/// </example>
/// </remarks>
// A class, because a copy of a disposable struct could return the same memory to the pool again.
public sealed class HdrHistogramCounts : IDisposable
{
    private ulong[]? _buffer;
    private int _start; // of the counts in the buffer
    private int _length;
    private long _startTicks; // of StartTime; a nullable time would take 24 bytes

    internal HdrHistogramCounts()
    {
    }

    /// <summary>The layout of the buckets.</summary>
    public HdrHistogramLayout Layout { get; private set; }

    /// <summary>The index in <see cref="Layout"/> of the first bucket of <see cref="AsSpan"/>.</summary>
    public int FirstIndex { get; private set; }

    /// <summary>The number of recorded values below the histogram's range.</summary>
    public ulong CountBelowRange { get; private set; }

    /// <summary>The number of recorded values above the histogram's range.</summary>
    public ulong CountAboveRange { get; private set; }

    /// <summary>The number of times that the histogram was reset before the counts were read. If it changes, an exporter of cumulative
    /// counts starts again. It is 0 for a snapshot and for the view of a window.</summary>
    public int ResetCount { get; private set; }

    /// <summary>The start of the counts: the time of the last reset of the histogram or, before the first reset, of its creation, in UTC.
    /// It is <see langword="null"/> for a snapshot and for the view of a window.</summary>
    public DateTimeOffset? StartTime => _startTicks == 0 ? null : new DateTimeOffset(_startTicks, TimeSpan.Zero);

    /// <summary>The number of recorded values within the range; wraps at 2⁶⁴.</summary>
    /// <exception cref="ObjectDisposedException">The counts are disposed.</exception>
    public ulong TotalCount => CounterMath.Sum(AsSpan());

    /// <summary>Returns the counts of consecutive buckets, from <see cref="FirstIndex"/> on. Some or all of them can be 0. For a
    /// snapshot, they are all buckets of its range. All other buckets are empty.</summary>
    /// <returns>The counts, without a copy; empty if the histogram has not had a value within its range. Valid until disposal.</returns>
    /// <exception cref="ObjectDisposedException">The counts are disposed.</exception>
    public ReadOnlySpan<ulong> AsSpan()
    {
        ulong[]? buffer = _buffer;
        ObjectDisposedException.ThrowIf(buffer is null, this);
        return new(buffer, _start, _length);
    }

    /// <summary>Returns the number of recorded values in a range of buckets. The sum is vectorized.</summary>
    /// <param name="startIndex">The index of the first bucket in <see cref="Layout"/>.</param>
    /// <param name="endIndex">The index after the last bucket.</param>
    /// <returns>The count; wraps at 2⁶⁴. It is 0 for an empty range. Indexes outside the layout are allowed.</returns>
    /// <exception cref="ObjectDisposedException">The counts are disposed.</exception>
    public ulong GetCount(int startIndex, int endIndex)
    {
        ulong[]? buffer = _buffer;
        ObjectDisposedException.ThrowIf(buffer is null, this);
        (int start, int end) = (Math.Max(startIndex, FirstIndex), Math.Min(endIndex, FirstIndex + _length));
        return start < end ? CounterMath.Sum<ulong>(buffer.AsSpan(_start + (start - FirstIndex), end - start)) : 0;
    }

    /// <summary>Returns the sum of the recorded values within the range, computed from the midpoints of the buckets, as
    /// <see cref="HdrHistogramSummary.Sum"/>.</summary>
    /// <returns>The sum, in the unit of the values.</returns>
    /// <exception cref="ObjectDisposedException">The counts are disposed.</exception>
    public double GetSum()
    {
        ulong[]? buffer = _buffer;
        ObjectDisposedException.ThrowIf(buffer is null, this);
        CounterRange range = new(Layout, Layout.Origin + (uint)FirstIndex, _length);
        return CounterScan.Sum(range, CounterView<ulong>.FromArray(ref buffer, _start, _length));
    }

    /// <summary>Returns the memory to the pool. Idempotent.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _buffer, null) is { } buffer)
        {
            ArrayPool<ulong>.Shared.Return(buffer);
        }
    }

    /// <summary>Replaces the counts. The buffer belongs to this object afterwards.</summary>
    internal void Set(
        CounterRange range,
        ulong[] buffer,
        int start,
        (ulong Underflow, ulong Overflow) outOfRange,
        int resetCount,
        DateTimeOffset? startTime)
    {
        Dispose();
        (_buffer, _start, _length, Layout) = (buffer, start, range.Length, range.Layout);
        FirstIndex = (int)(range.FirstIndex - range.Layout.Origin);
        (CountBelowRange, CountAboveRange) = outOfRange;
        (ResetCount, _startTicks) = (resetCount, startTime?.UtcTicks ?? 0);
    }
}
