namespace Picollo.Metrics;

/// <summary>A high dynamic range histogram: counts values from 0 to 2⁶⁴−1 in buckets whose width grows with the value, so that every
/// percentile is within a promised relative error, in a few kilobytes and about a nanosecond a record.</summary>
/// <remarks>
/// <para>Built by <see cref="Factory"/>. The factory's <c>Create()</c> returns the sealed type of the variant that was chosen; a variable
/// of that type (<c>var h = …Create()</c>) lets the JIT inline <see cref="Record(ulong)"/>. Which variant:</para>
/// <list type="bullet">
/// <item><see cref="PlainHdrHistogram{TCounter}"/>: one writer at a time. With more at once its counts become
/// approximate, nothing worse.</item>
/// <item><see cref="ThreadLocalHdrHistogram{TCounter}"/>: any number of writers, each with counters of its own; in a loop
/// nearly as fast as the plain one, elsewhere about half as fast, at the memory of one histogram per concurrent writer.</item>
/// <item><see cref="InterlockedHdrHistogram{TCounter}"/>: any number of writers on shared counters; slower, and slower still
/// when they meet.</item>
/// </list>
/// <para>All of them can be read and reset by any thread while they are written, and lose or double nothing by it. Values have no unit:
/// what goes in comes out. Values outside the range are counted apart, never thrown.</para>
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
public abstract partial class HdrHistogram : ReadOnlyHdrHistogram, IDisposable
{
    // 16 KB of sums: half of a first-level cache of 32 KB. 8 KB or 16 KB of each thread's counters pass through the other half.
    private const int SumsInCache = 2048;

    /// <summary>The lock that readers and resets take in turn. No writer takes it but on a thread's first record.</summary>
    private protected readonly object Gate = new();

    /// <summary>The counters: a block that all writers share, or one for each thread by its number. A changed array replaces this one,
    /// with <see cref="Gate"/> held, so that a thread's view stays valid.</summary>
    private protected CounterBlock?[] Blocks = [];

    private readonly TimeProvider _timeProvider;
    private Baseline? _baseline; // null until the first reset; guarded by Gate
    private DateTimeOffset _countingSince; // creation or last reset; guarded by Gate
    private int _resetCount; // guarded by Gate
    private bool _disposed; // guarded by Gate
    private bool _isOwned; // set before others have the histogram

    private protected HdrHistogram(HdrHistogramSettings settings)
        : base(settings.Layout, settings.MinTrackableValue, settings.MaxTrackableValue)
    {
        _timeProvider = settings.TimeProvider;
        _countingSince = ReadTime;
    }

    /// <summary>Where every histogram starts: relative error 0.001, range 0 to 2⁶⁴−1, 32-bit storage, plain. Immutable; each of its methods
    /// returns a new factory.</summary>
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

    /// <inheritdoc/>
    internal sealed override DateTimeOffset ReadTime => _timeProvider.GetUtcNow();

    /// <summary>The block that the calling thread writes to.</summary>
    private protected abstract CounterBlock WritersBlock { get; }

    /// <summary>Creates a plain histogram with the defaults of <see cref="Factory"/>.</summary>
    /// <returns>A histogram for one writer at a time.</returns>
    public static PlainHdrHistogram<uint> Create() => Factory.Create();

    /// <summary>Marks a histogram that the library records into and shows to its users: were they to dispose it, threads of the library
    /// would throw.</summary>
    internal static T Owned<T>(T histogram)
        where T : HdrHistogram
    {
        histogram._isOwned = true;
        return histogram;
    }

    /// <summary>Counts a value.</summary>
    /// <param name="value">The value, in whatever unit the histogram is for. Out of range it is counted in
    /// <see cref="ReadOnlyHdrHistogram.OverflowCount"/>.</param>
    /// <remarks>Allocates nothing, except the counters for values of a magnitude that was not recorded before (in a thread-local histogram,
    /// by the same thread).</remarks>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public abstract void Record(ulong value);

    /// <summary>Counts a value so many times.</summary>
    /// <param name="value">The value.</param>
    /// <param name="count">How many times, 0 for none. Totals past 2⁶⁴ wrap.</param>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public abstract void Record(ulong value, ulong count);

    /// <summary>Counts each of the values, as fast as a loop over an inlined <see cref="Record(ulong)"/>.</summary>
    /// <param name="values">The values, in any order. An empty span records nothing.</param>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public abstract void Record(ReadOnlySpan<ulong> values);

    /// <summary>Copies the histogram: same variant, precision, range and counts. The copy can be recorded into, and neither changes the
    /// other.</summary>
    /// <returns>A new histogram.</returns>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public abstract HdrHistogram Clone();

    /// <summary>Starts counting anew: reads that begin after the call see only what is recorded after it.</summary>
    /// <remarks>Writes to no counter, so a record at the same moment is counted either before or after the reset, never twice and never
    /// with the old count. Instead it remembers what had been counted, which readers subtract: the first reset allocates 8 bytes a bucket,
    /// later ones nothing.</remarks>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public void Reset()
    {
        lock (Gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _baseline ??= new Baseline(Length);
            SumCounts(_baseline.Counts, ..Length);
            _baseline.OutOfRange = SumOutOfRange();
            _countingSince = ReadTime;
            _resetCount++;
        }
    }

    /// <summary>Takes a snapshot of the counts since the last reset, to be looked at while the histogram goes on, and
    /// updated in place later.</summary>
    /// <returns>A new snapshot, which allocates 16 bytes a bucket.</returns>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public HdrHistogramSnapshot GetSnapshot() => new(this);

    /// <summary>Ends the use of the histogram: records and reads that begin afterwards throw <see cref="ObjectDisposedException"/>; its
    /// constant properties and <see cref="ReadOnlyHdrHistogram.FootprintInBytes"/> still answer. A record under way on another thread is
    /// lost, and a scope that ends afterwards records nothing and does not throw.</summary>
    /// <remarks>Does nothing to a histogram that an object of this library records into, such as that of a counter session. Idempotent.
    /// Nothing is freed under a writer: the memory goes when the object is collected, disposed or
    /// not, and there is no finalizer.</remarks>
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

        GC.SuppressFinalize(this); // there is none; nothing outside can derive
    }

    /// <summary>Copies the counts and tells how many resets came before and when the last of them was, in one step.</summary>
    internal (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts, out int resetCount, out DateTimeOffset countingSince)
    {
        lock (Gate)
        {
            resetCount = _resetCount;
            countingSince = _countingSince;
            return CopyCounts(counts);
        }
    }

    /// <summary>As <see cref="ReadOnlyHdrHistogram.ReadUsed"/>, with the number of resets before it, in one step.</summary>
    internal CountsCopy ReadUsed(out int resetCount)
    {
        lock (Gate)
        {
            resetCount = _resetCount;
            return ReadUsed();
        }
    }

    /// <summary>Writes what was counted since the last counts, and the counts as the next last ones, in one pass.</summary>
    /// <returns><see langword="false"/>, and nothing is written, if the histogram was reset since, or if the counters of one block are not
    /// the whole truth.</returns>
    internal bool TryReadDeltas(int resetCount, Span<ulong> last, Span<ulong> deltas, out (ulong Underflow, ulong Overflow) outOfRange)
    {
        lock (Gate)
        {
            outOfRange = ReadOutOfRange(); // throws if the histogram is disposed
            return resetCount == _resetCount && _baseline is null && OnlyBlock() is { } block && block.TryReadDeltas(last, deltas);
        }
    }

    private protected sealed override (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts) => CopyCounts(counts, ..Length);

    private protected sealed override (ulong Underflow, ulong Overflow) CopyUsedCounts(Span<ulong> counts, out Range used)
    {
        lock (Gate)
        {
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

    private protected sealed override bool TryFillInPlace(HdrHistogramSummary summary)
    {
        lock (Gate)
        {
            return !_disposed && _baseline is null && OnlyBlock() is { } block && block.TryFill(summary, this);
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

            SumCounters(Blocks[first]!, Blocks.AsSpan(first + 1), sums, range);
            foreach (CounterBlock? block in Blocks)
            {
                block?.AddCarriesTo(sums, range);
            }
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

    /// <summary>Sums the counters in pieces: the sums of a piece stay in the first-level cache while the counters of all threads are added
    /// to them. With one pass per thread over all counters, a summary of 32 threads takes 20 % longer (Zen 5, November 2026).</summary>
    private void SumCounters(CounterBlock first, ReadOnlySpan<CounterBlock?> others, Span<ulong> sums, Range range)
    {
        int offset = (int)(FirstIndex - Layout.Origin); // pieces end where pages do, or at whole vectors within a page
        for (int from = range.Start.Value, to; from < range.End.Value; from = to)
        {
            to = others.IsEmpty ? range.End.Value : Math.Min(((from + offset) | (SumsInCache - 1)) + 1 - offset, range.End.Value);
            first.CopyCountersTo(sums, from..to); // a pass less than adding to zeros
            foreach (CounterBlock? block in others)
            {
                block?.AddCountersTo(sums, from..to);
            }
        }
    }

    /// <summary>The block with all counts; null where there are none or several. Called with <see cref="Gate"/> held.</summary>
    private CounterBlock? OnlyBlock()
    {
        int first = IndexOfBlock(from: 0);
        return first >= 0 && IndexOfBlock(first + 1) < 0 ? Blocks[first] : null;
    }

    private int IndexOfBlock(int from) => Array.FindIndex(Blocks, from, static block => block is not null);

    /// <summary>What was recorded out of range since creation. Called with <see cref="Gate"/> held.</summary>
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

    /// <summary>Counts the value of a scope that ends: as <see cref="Record(ulong)"/>, but a disposed histogram drops the value. An
    /// exception would leave the scope's <see langword="using"/> block in place of the exception that ended the block.</summary>
    internal abstract void RecordUnlessDisposed(ulong value);

    /// <summary>Makes the writers' fast path fail from now on. Called once, with <see cref="Gate"/> held.</summary>
    private protected abstract void CloseToWriters();

    /// <summary>The settings of a copy, and the counts in it.</summary>
    private protected T FillClone<T>(Func<HdrHistogramSettings, T> create)
        where T : HdrHistogram
    {
        T clone = create(HdrHistogramSettings.Of(this).WithTimeProvider(_timeProvider));
        clone.Add(this);
        return clone;
    }

    private sealed class Baseline(int length)
    {
        public readonly ulong[] Counts = new ulong[length];

        public (ulong Underflow, ulong Overflow) OutOfRange;
    }
}
