using System.Numerics;

namespace Picollo.Benchmarks.Histogram;

/// <summary>A contender that counts the values of a set. All these contenders have the same bucket layout.</summary>
internal abstract class RecordContender(string name, ValueSet set) : Contender(name, OperationsPerRun)
{
    private const int OperationsPerRun = ValueSet.Count / 20;

    private int _next;

    /// <summary>The block size for a relative error of 0.1 % (three significant digits).</summary>
    public const int BlockSize = 512;

    public static int Length { get; } = ReferenceCounts.IndexOf(ValueSet.MaxTrackableValue, BlockSize) + 1;

    public static PlainHdrHistogramFactory<uint> Factory { get; } = HdrHistogram.Factory
        .WithRelativeError(0.5 / BlockSize)
        .WithMaxTrackableValue(ValueSet.MaxTrackableValue);

    /// <summary>Returns the counts of a histogram, by bucket.</summary>
    public static ulong[] CountsOf(HdrHistogram histogram) => [.. histogram.Buckets.Select(bucket => bucket.Count)];

    public override void Verify()
    {
        ulong[] before = ReadCounts();
        for (int i = 0; i < ValueSet.Count / OperationsPerRun; i++)
        {
            Run(OperationsPerRun);
        }

        ulong[] after = ReadCounts();
        ulong[] expected = ReferenceCounts.Of(set.Values, BlockSize, Length);
        for (int i = 0; i < Length; i++)
        {
            Require(after[i] - before[i] == expected[i], $"the count of bucket {i} of {Length} is {after[i] - before[i]}; expected {expected[i]}.");
        }
    }

    /// <summary>Returns the next values of the set. After the end of the set, it starts again from the beginning.</summary>
    protected ReadOnlySpan<ulong> Values(int count) => set.Values.AsSpan(Next(count), count);

    /// <summary>Returns the index of the next values. Two threads can get the same values.</summary>
    protected int Next(int count)
    {
        int next = _next;
        next = next + count > ValueSet.Count ? 0 : next;
        _next = next + count;
        return next;
    }

    /// <summary>Returns the current counts, by bucket.</summary>
    protected abstract ulong[] ReadCounts();
}

/// <summary>A contender with precomputed counter indexes.</summary>
internal abstract class KnownIndexes(string name, ValueSet set) : RecordContender(name, set)
{
    private readonly uint[] _indexes = ReferenceCounts.Indexes(set.Values, BlockSize);

    protected uint[] Counts { get; } = new uint[Length];

    protected ReadOnlySpan<uint> Indexes(int count) => _indexes.AsSpan(Next(count), count);

    protected override ulong[] ReadCounts() => [.. Counts];
}

/// <summary>The lower bound for any histogram: increments an array element with a known index.</summary>
internal sealed class Floor(ValueSet set) : KnownIndexes("bare uint[] increment with a known index", set)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        uint[] counts = Counts;
        foreach (uint index in Indexes(operations))
        {
            counts[index]++;
        }
    }
}

/// <summary>The lower bound for a histogram with shared counters: increments a counter with a known index.</summary>
internal sealed class BareInterlocked(ValueSet set) : KnownIndexes("bare Interlocked.Increment with a known index", set)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        uint[] counts = Counts;
        foreach (uint index in Indexes(operations))
        {
            Interlocked.Increment(ref counts[index]);
        }
    }
}

/// <summary>The lower bound for a thread-local record through a call: the runtime's lookup of the thread, and an increment with a known index.
/// The lookup is a call of <c>__tls_get_addr</c> of the C library, which the JIT moves out of a loop but not out of a called method.</summary>
internal sealed class BareThreadStatic(ValueSet set) : KnownIndexes("bare [ThreadStatic] read and increment with a known index, through a call", set)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        uint[] counts = Counts;
        OfThread.Offset = 0;
        foreach (uint index in Indexes(operations))
        {
            Increment(counts, index);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Increment(uint[] counts, uint index) => counts[index + (uint)OfThread.Offset]++;

    private static class OfThread
    {
        [ThreadStatic]
        public static int Offset;
    }
}

/// <summary>The plain variant, with a thousand values per call.</summary>
internal sealed class PlainSpan(ValueSet set) : RecordContender("plain, Record(span of 1,000 values)", set)
{
    private const int SpanLength = 1_000;

    private readonly PlainHdrHistogram<uint> _histogram = Factory.Create();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        ReadOnlySpan<ulong> rest = Values(operations);
        while (rest.Length >= SpanLength)
        {
            _histogram.Record(rest[..SpanLength]);
            rest = rest[SpanLength..];
        }

        _histogram.Record(rest);
    }

    protected override ulong[] ReadCounts() => CountsOf(_histogram);
}

/// <summary>The reference class. Generic code over integers is not precompiled. The loop is in this class, because a recorder would add a call.</summary>
internal sealed class Article<TCounter>(ValueSet set, ArticleHistogram<TCounter> histogram)
    : RecordContender($"the article's formula, {8 * Unsafe.SizeOf<TCounter>()}-bit", set)
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private readonly ArticleHistogram<TCounter> _histogram = histogram;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        ArticleHistogram<TCounter> histogram = _histogram;
        foreach (ulong value in Values(operations))
        {
            histogram.Record(value);
        }
    }

    protected override ulong[] ReadCounts() => _histogram.Counts;
}

/// <summary>The plain variant in a local variable of its own type, so that <c>Record</c> is inlined. For the loop, see
/// <see cref="Article{TCounter}"/>.</summary>
internal sealed class Plain<TCounter>(ValueSet set, PlainHdrHistogram<TCounter> histogram)
    : RecordContender($"plain, {8 * Unsafe.SizeOf<TCounter>()}-bit", set)
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private readonly PlainHdrHistogram<TCounter> _histogram = histogram;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        PlainHdrHistogram<TCounter> histogram = _histogram;
        foreach (ulong value in Values(operations))
        {
            histogram.Record(value);
        }
    }

    protected override ulong[] ReadCounts() => CountsOf(_histogram);
}

/// <summary>Records one value after another, with the recorder in a local variable of its own type.</summary>
internal sealed class Records<TRecorder>(string name, ValueSet set, TRecorder recorder, Func<ulong[]> readCounts)
    : RecordContender(name, set)
    where TRecorder : struct, IRecorder
{
    private readonly TRecorder _recorder = recorder;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        TRecorder recorder = _recorder;
        foreach (ulong value in Values(operations))
        {
            recorder.Record(value);
        }
    }

    protected override ulong[] ReadCounts() => readCounts();
}

/// <summary>A way to record a value. Each implementation is a struct, so that the loop is compiled separately for it.</summary>
internal interface IRecorder
{
    void Record(ulong value);
}

/// <summary>The plain variant in a local variable.</summary>
internal readonly struct PlainInLocal<TCounter>(PlainHdrHistogram<TCounter> histogram) : IRecorder
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    public void Record(ulong value) => histogram.Record(value);
}

/// <summary>The plain variant in a <c>static readonly</c> field, as in applications.</summary>
internal readonly struct PlainInStaticField : IRecorder
{
    public static readonly PlainHdrHistogram<uint> Histogram = RecordContender.Factory.Create();

    public void Record(ulong value) => Histogram.Record(value);
}

/// <summary>The plain variant with 64-bit counters, in a <c>static readonly</c> field.</summary>
internal readonly struct Plain64InStaticField : IRecorder
{
    public static readonly PlainHdrHistogram<ulong> Histogram = RecordContender.Factory.WithUInt64Storage().Create();

    public void Record(ulong value) => Histogram.Record(value);
}

/// <summary>The plain variant, each record through a call that is not inlined.</summary>
internal readonly struct PlainThroughCall(PlainHdrHistogram<uint> histogram) : IRecorder
{
    public void Record(ulong value) => RecordOne(histogram, value);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RecordOne(PlainHdrHistogram<uint> histogram, ulong value) => histogram.Record(value);
}

/// <summary>The thread-local variant.</summary>
internal readonly struct ThreadLocal(ThreadLocalHdrHistogram<uint> histogram) : IRecorder
{
    public void Record(ulong value) => histogram.Record(value);
}

/// <summary>The thread-local variant, each record through a call that is not inlined.</summary>
internal readonly struct ThreadLocalThroughCall(ThreadLocalHdrHistogram<uint> histogram) : IRecorder
{
    public void Record(ulong value) => RecordOne(histogram, value);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RecordOne(ThreadLocalHdrHistogram<uint> histogram, ulong value) => histogram.Record(value);
}

/// <summary>The interlocked variant.</summary>
internal readonly struct InterlockedVariant(InterlockedHdrHistogram<uint> histogram) : IRecorder
{
    public void Record(ulong value) => histogram.Record(value);
}

/// <summary>
/// Any variant through the abstract base class. All instances share one loop, so with three variants, its call site has seen
/// three types.
/// </summary>
internal readonly struct ThroughBase(HdrHistogram histogram) : IRecorder
{
    public void Record(ulong value) => histogram.Record(value);
}
