using System.Numerics;

namespace Picollo.Benchmarks.Histogram;

/// <summary>A contender that counts the values of a set, in buckets of the layout that all of them share.</summary>
internal abstract class RecordContender(string name, ValueSet set) : Contender(name, OperationsPerRun)
{
    private const int OperationsPerRun = ValueSet.Count / 20;

    private int _next;

    /// <summary>0.1 %: three significant digits.</summary>
    public const int BlockSize = 512;

    public static int Length { get; } = ReferenceCounts.IndexOf(ValueSet.MaxTrackableValue, BlockSize) + 1;

    public static PlainHdrHistogramFactory<uint> Factory { get; } = HdrHistogram.Factory
        .WithRelativeError(0.5 / BlockSize)
        .WithMaxTrackableValue(ValueSet.MaxTrackableValue);

    /// <summary>The counts of a histogram, by bucket.</summary>
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
            Require(after[i] - before[i] == expected[i], $"{after[i] - before[i]} where {expected[i]} was due, in bucket {i} of {Length}.");
        }
    }

    /// <summary>The next values of the set, which begins again when it comes to its end.</summary>
    protected ReadOnlySpan<ulong> Values(int count) => set.Values.AsSpan(Next(count), count);

    /// <summary>Where the next values begin. Two threads may get the same ones.</summary>
    protected int Next(int count)
    {
        int next = _next;
        next = next + count > ValueSet.Count ? 0 : next;
        _next = next + count;
        return next;
    }

    /// <summary>The counts so far, by bucket.</summary>
    protected abstract ulong[] ReadCounts();
}

/// <summary>Contenders that know the index of the counter of each value.</summary>
internal abstract class KnownIndexes(string name, ValueSet set) : RecordContender(name, set)
{
    private readonly uint[] _indexes = ReferenceCounts.Indexes(set.Values, BlockSize);

    protected uint[] Counts { get; } = new uint[Length];

    protected ReadOnlySpan<uint> Indexes(int count) => _indexes.AsSpan(Next(count), count);

    protected override ulong[] ReadCounts() => [.. Counts];
}

/// <summary>What no histogram can be faster than: an array element incremented, its index known beforehand.</summary>
internal sealed class Floor(ValueSet set) : KnownIndexes("bare uint[] increment, index known", set)
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

/// <summary>What no histogram with shared counters can be faster than: the right counter incremented, its index known.</summary>
internal sealed class BareInterlocked(ValueSet set) : KnownIndexes("bare Interlocked.Increment, index known", set)
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

/// <summary>What no thread-local record through a call can be faster than: the runtime's look-up of the thread and an increment, its index known.
/// The look-up is a call of the C library's <c>__tls_get_addr</c>, which the JIT moves out of a loop but not out of a call.</summary>
internal sealed class BareThreadStatic(ValueSet set) : KnownIndexes("bare [ThreadStatic] read and increment through a call, index known", set)
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

/// <summary>The plain variant, a thousand values a call.</summary>
internal sealed class PlainSpan(ValueSet set) : RecordContender("plain, Record(span of 1,000)", set)
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

/// <summary>The reference class. Generic code over integers is not precompiled, so the loop is here: a recorder would add a call to it.</summary>
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

/// <summary>The plain variant in a local of its own type: <c>Record</c> is inlined. The loop is here as in <see cref="Article{TCounter}"/>.</summary>
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

/// <summary>One record after the other, in a local of the recorder's own type.</summary>
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

/// <summary>A way to record a value. A struct each, so that a loop over it is compiled for it alone.</summary>
internal interface IRecorder
{
    void Record(ulong value);
}

/// <summary>The plain variant in a local.</summary>
internal readonly struct PlainInLocal<TCounter>(PlainHdrHistogram<TCounter> histogram) : IRecorder
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    public void Record(ulong value) => histogram.Record(value);
}

/// <summary>The plain variant as applications hold it, in a <c>static readonly</c> field.</summary>
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
/// Any variant through the abstract base. All instances share one loop, so with three variants about its call site has seen
/// three types.
/// </summary>
internal readonly struct ThroughBase(HdrHistogram histogram) : IRecorder
{
    public void Record(ulong value) => histogram.Record(value);
}
