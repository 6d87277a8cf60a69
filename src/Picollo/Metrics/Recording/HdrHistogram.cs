namespace Picollo.Metrics;

/// <summary>A high dynamic range histogram. It counts values from 0 to 2⁶⁴−1 in buckets whose width grows with the value, so that
/// every percentile has a bounded relative error. It takes a few kilobytes of memory and about a nanosecond per record.</summary>
/// <remarks>
/// <para>Create histograms with <see cref="Factory"/>. The factory's <c>Create()</c> returns the sealed type of the selected variant. Store
/// it in a variable of that type (<c>var h = …Create()</c>), so that the JIT can inline <see cref="Record(ulong)"/>. The variants
/// are:</para>
/// <list type="bullet">
/// <item><see cref="PlainHdrHistogram{TCounter}"/>: one writer at a time. If several threads write at the same time, its counts become
/// approximate; nothing else fails.</item>
/// <item><see cref="ThreadLocalHdrHistogram{TCounter}"/>: any number of writers, each with its own counters. In a loop, it is nearly as
/// fast as a plain histogram; elsewhere, it is about half as fast. It takes the memory of one histogram per concurrent writer.</item>
/// <item><see cref="InterlockedHdrHistogram{TCounter}"/>: any number of writers on shared counters. It is slower than the others,
/// especially when several writers increment the same counters.</item>
/// </list>
/// <para>Any thread can read and reset a histogram of any variant while other threads write to it; no record is lost or counted twice.
/// Values have no unit: the results have the unit of the recorded values. Values outside the range are counted separately and do not
/// throw.</para>
/// <example>
/// <code>
/// var latency = HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create();
/// using (latency.GetNanoScope())
/// {
///     Work();
/// }
///
/// latency.GetSummary().PrettyPrint("Latency, ns");
/// </code>
/// </example>
/// </remarks>
public abstract partial class HdrHistogram : ReadOnlyHdrHistogram, ICounterTarget, IDisposable
{
    // 16 KB of sums: half of a 32 KB first-level cache. 8 KB or 16 KB of each thread's counters pass through the other half.
    private const int SumsInCache = 2048;

    /// <summary>The lock of readers and resets. A writer takes it only for a thread's first record.</summary>
    private protected readonly object Gate = new();

    /// <summary>The counters: one block that all writers share, or one block per thread, indexed by thread number. The array is replaced
    /// under <see cref="Gate"/> and never modified, so that a thread's view of it remains valid.</summary>
    private protected CounterBlock?[] Blocks = [];

    private readonly TimeProvider _timeProvider;
    private Baseline? _baseline; // null until the first reset; guarded by Gate
    private DateTimeOffset _countingSince; // creation or last reset; guarded by Gate
    private int _resetCount; // guarded by Gate
    private bool _disposed; // guarded by Gate
    private bool _isOwned; // set before the histogram is published

    private protected HdrHistogram(HdrHistogramSettings settings)
        : base(settings.Layout, settings.MinTrackableValue, settings.MaxTrackableValue)
    {
        _timeProvider = settings.TimeProvider;
        _countingSince = ReadTime;
    }

    /// <summary>The factory with the default settings: relative error 0.001, range 0 to 2⁶⁴−1, 32-bit storage, plain variant.
    /// Immutable: each of its methods returns a new factory.</summary>
    public static PlainHdrHistogramFactory<uint> Factory { get; } = new(HdrHistogramSettings.Default);

    /// <inheritdoc/>
    public sealed override long FootprintInBytes
    {
        get
        {
            lock (Gate)
            {
                return Blocks.Sum(block => block?.FootprintInBytes ?? 0) + Footprint.OfArray(Blocks) + Footprint.OfArray(_baseline?.Counts);
            }
        }
    }

    internal sealed override DateTimeOffset ReadTime => _timeProvider.GetUtcNow();

    private protected abstract CounterBlock WritersBlock { get; }

    /// <summary>Creates a plain histogram with the default settings of <see cref="Factory"/>.</summary>
    /// <returns>A new histogram for one writer at a time.</returns>
    public static PlainHdrHistogram<uint> Create() => Factory.Create();

    /// <summary>Marks a histogram that the library records into and exposes to users. <see cref="Dispose"/> does nothing on it, because
    /// otherwise threads of the library would throw after a user disposed it.</summary>
    internal static T Owned<T>(T histogram)
        where T : HdrHistogram
    {
        histogram._isOwned = true;
        return histogram;
    }

    /// <summary>Records a value.</summary>
    /// <param name="value">The value, in any unit. A value outside the range is counted in
    /// <see cref="ReadOnlyHdrHistogram.OverflowCount"/>.</param>
    /// <remarks>Does not allocate, except for the counters of a magnitude that is recorded for the first time (in a thread-local histogram:
    /// for the first time by this thread).</remarks>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public abstract void Record(ulong value);

    /// <summary>Records a value a number of times.</summary>
    /// <param name="value">The value, in any unit.</param>
    /// <param name="count">The number of times; 0 records nothing. Counts wrap at 2⁶⁴.</param>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public abstract void Record(ulong value, ulong count);

    /// <summary>Records each of the values, as fast as a loop with an inlined <see cref="Record(ulong)"/>.</summary>
    /// <param name="values">The values, in any order. An empty span records nothing.</param>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public abstract void Record(ReadOnlySpan<ulong> values);

    /// <summary>Creates an independent copy of the histogram with the same variant, precision, range and counts. The copy can be recorded
    /// into.</summary>
    /// <returns>A new histogram.</returns>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public abstract HdrHistogram Clone();

    /// <summary>Resets all counts to zero: reads that start after the call return only values that are recorded after it.</summary>
    /// <remarks>A reset does not write to the counters, so a concurrent record is counted either before or after the reset, exactly once.
    /// It stores a copy of the counts, which readers subtract: the first reset allocates 8 bytes per bucket, later resets
    /// nothing.</remarks>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public void Reset()
    {
        lock (Gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _countingSince = ReadTime; // a clock that throws leaves everything unchanged
            _baseline ??= new Baseline(Length);
            SumCounts(_baseline.Counts, ..Length);
            _baseline.OutOfRange = SumOutOfRange();
            _resetCount++;
        }
    }

    /// <inheritdoc/>
    public override HdrHistogramSnapshot GetSnapshot() => new(this);

    /// <summary>Disposes the histogram: records and reads that start afterwards throw <see cref="ObjectDisposedException"/>. Its constant
    /// properties and <see cref="ReadOnlyHdrHistogram.FootprintInBytes"/> can still be read. A concurrent record on another thread is lost.
    /// A scope that ends afterwards records nothing and does not throw.</summary>
    /// <remarks>Idempotent. Does nothing for a histogram that belongs to an object of this library, such as a counter session. The memory
    /// is freed when the object is collected, whether it is disposed or not, so a concurrent writer is safe. There is no
    /// finalizer.</remarks>
    public void Dispose()
    {
        lock (Gate)
        {
            if (!_disposed && !_isOwned)
            {
                _disposed = true;
                _baseline = null;
                CloseToWriters();
            }
        }

        GC.SuppressFinalize(this); // for CA1816: there is no finalizer, and no external type can derive from this class
    }

    /// <summary>Atomically copies the counts and returns the number of resets and the time of the last one.</summary>
    internal (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts, out int resetCount, out DateTimeOffset countingSince)
    {
        lock (Gate)
        {
            resetCount = _resetCount;
            countingSince = _countingSince;
            return CopyCounts(counts);
        }
    }

    /// <summary>In one pass, writes the differences from the previous counts to <paramref name="deltas"/> and the current counts to
    /// <paramref name="last"/>.</summary>
    /// <returns><see langword="false"/>, with nothing written, if the histogram was reset since, or if it does not have exactly one
    /// block.</returns>
    internal bool TryReadDeltas(int resetCount, Span<ulong> last, Span<ulong> deltas, out (ulong Underflow, ulong Overflow) outOfRange)
    {
        lock (Gate)
        {
            outOfRange = ReadOutOfRange(); // throws if the histogram is disposed
            if (resetCount != _resetCount || _baseline is not null || SingleBlock() is not { } block)
            {
                return false;
            }

            block.ReadDeltas(last, deltas);
            return true;
        }
    }

    private protected sealed override (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts) => CopyCounts(counts, ..Length);

    private protected sealed override (ulong Underflow, ulong Overflow) CopyUsedCounts(
        Span<ulong> counts, out Range used, out int resetCount, out DateTimeOffset? startTime)
    {
        lock (Gate)
        {
            (resetCount, startTime) = (_resetCount, _countingSince);
            int from = Length, to = 0;
            foreach (CounterBlock? block in Blocks)
            {
                if (block?.Used is { } ofBlock && ofBlock.End.Value > 0)
                {
                    from = Math.Min(from, ofBlock.Start.Value);
                    to = Math.Max(to, ofBlock.End.Value);
                }
            }

            used = Math.Min(from, to)..to;
            return CopyCounts(counts, used);
        }
    }

    private (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts, Range range)
    {
        lock (Gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            SumCounts(counts, range);
            if (_baseline is { } baseline)
            {
                CounterMath.Subtract(baseline.Counts.AsSpan(range), counts[range]);
            }

            return ReadOutOfRange();
        }
    }

    private protected sealed override bool TryReadInPlace(
        ReadOnlySpan<double> ranks, Span<CounterAtRank> found, bool needsMoments, out CounterReading reading)
    {
        lock (Gate)
        {
            if (!_disposed && _baseline is null && SingleBlock() is { } block
                && block.TryRead(ranks, found, needsMoments, out CounterMoments moments, out ulong outOfRange))
            {
                reading = new CounterReading(moments, outOfRange);
                return true;
            }

            reading = default;
            return false;
        }
    }

    private protected sealed override (ulong Underflow, ulong Overflow) ReadOutOfRange()
    {
        lock (Gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            (ulong underflow, ulong overflow) = SumOutOfRange();
            (ulong underflowBefore, ulong overflowBefore) = _baseline?.OutOfRange ?? default;
            return (underflow - underflowBefore, overflow - overflowBefore);
        }
    }

    private void ThrowIfDisposed()
    {
        lock (Gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
        }
    }

    /// <summary>Fills a range of <paramref name="sums"/> with the counts of all blocks, since creation. Called with <see cref="Gate"/>
    /// held.</summary>
    private void SumCounts(Span<ulong> sums, Range range)
    {
        int first = IndexOfBlock(from: 0);
        if (first < 0)
        {
            sums[range].Clear();
            return;
        }

        int locked = first;
        try
        {
            for (; locked < Blocks.Length; locked++)
            {
                if (Blocks[locked] is { } block)
                {
                    Monitor.Enter(block.Gate);
                }
            }

            SumCounts(Blocks[first]!, Blocks.AsSpan(first + 1), sums, range);
        }
        finally
        {
            while (locked > first)
            {
                if (Blocks[--locked] is { } block)
                {
                    Monitor.Exit(block.Gate);
                }
            }
        }
    }

    /// <summary>Sums the counts in pieces: the sums of a piece remain in the first-level cache while the counters of all threads are
    /// added to them. With one pass per thread over all counters, a summary of 32 threads takes 20 % longer (Zen 5, November
    /// 2026).</summary>
    private void SumCounts(CounterBlock first, ReadOnlySpan<CounterBlock?> others, Span<ulong> sums, Range range)
    {
        int offset = (int)(FirstIndex - Layout.Origin); // pieces end at page ends, or at whole vectors within a page
        for (int from = range.Start.Value, to; from < range.End.Value; from = to)
        {
            to = others.IsEmpty ? range.End.Value : Math.Min(((from + offset) | (SumsInCache - 1)) + 1 - offset, range.End.Value);
            first.CopyCountsTo(sums, from..to); // one pass less than adding to zeros
            foreach (CounterBlock? block in others)
            {
                block?.AddCountsTo(sums, from..to);
            }
        }
    }

    /// <summary>Returns the block if there is exactly one; otherwise null. Called with <see cref="Gate"/> held.</summary>
    private CounterBlock? SingleBlock()
    {
        int first = IndexOfBlock(from: 0);
        return first >= 0 && IndexOfBlock(first + 1) < 0 ? Blocks[first] : null;
    }

    private int IndexOfBlock(int from) => Array.FindIndex(Blocks, from, static block => block is not null);

    /// <summary>Returns the out-of-range counts since creation. Called with <see cref="Gate"/> held.</summary>
    private (ulong Underflow, ulong Overflow) SumOutOfRange()
    {
        (ulong Underflow, ulong Overflow) sum = default;
        foreach (CounterBlock? block in Blocks)
        {
            (ulong underflow, ulong overflow) = block?.OutOfRange ?? default;
            sum = (sum.Underflow + underflow, sum.Overflow + overflow);
        }

        return sum;
    }

    /// <summary>Records the value of a scope like <see cref="Record(ulong)"/>, but a disposed histogram drops the value: an exception here
    /// would replace the exception that ended the scope's <see langword="using"/> block.</summary>
    internal abstract void RecordUnlessDisposed(ulong value);

    /// <summary>Makes the fast path of writers fail from now on. Called once, with <see cref="Gate"/> held.</summary>
    private protected abstract void CloseToWriters();

    /// <summary>Creates a histogram with the same settings and copies the counts to it.</summary>
    private protected T FillClone<T>(Func<HdrHistogramSettings, T> create)
        where T : HdrHistogram
    {
        T clone = create(HdrHistogramSettings.FromHistogram(this).WithTimeProvider(_timeProvider));
        clone.Add(this);
        return clone;
    }

    private sealed class Baseline(int length)
    {
        public readonly ulong[] Counts = new ulong[length];

        public (ulong Underflow, ulong Overflow) OutOfRange;
    }
}
