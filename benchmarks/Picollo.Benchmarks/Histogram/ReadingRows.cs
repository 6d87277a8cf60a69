namespace Picollo.Benchmarks.Histogram;

/// <summary>Compares adding, snapshots and thread-local summaries with one vectorized pass that does the same work on arrays of the same
/// lengths.</summary>
internal static class ReadingRows
{
    private const int FewMicroseconds = 50;

    /// <summary>Adds a histogram to another one, with three significant digits and the range of all values: 56,320 counters.</summary>
    public static IEnumerable<Row> OfAdding()
    {
        const string Section = "Add, 3 significant digits, full range, 32-bit counters";
        PlainHdrHistogramFactory<uint> factory = HdrHistogram.Factory.WithSignificantDigits(3);
        PlainHdrHistogram<uint> source = Filled(factory), target = factory.Create(), finer = HdrHistogram.Factory.WithSignificantDigits(4).Create();
        HdrHistogramSnapshot snapshot = source.GetSnapshot();
        uint[] counts = CountsOf(source), sums = new uint[counts.Length];
        Repeated pass = new("one vectorized pass that adds one array to the other", FewMicroseconds, () => VectorPasses.Add(counts, sums));
        yield return new Row(Section, pass);
        yield return new Row(Section, new Repeated("Add of a histogram with the same layout", FewMicroseconds, () => target.Add(source)), pass, 2);
        yield return new Row(Section, new Repeated("Add of a snapshot with the same layout", FewMicroseconds, () => target.Add(snapshot)), pass);
        yield return new Row(Section, new Repeated("Add to a histogram with another layout (4 significant digits)", 1, () => finer.Add(source)), pass);
    }

    /// <summary>Takes snapshots of a histogram with the default precision and the range of all values.</summary>
    public static IEnumerable<Row> OfSnapshots()
    {
        const string Section = "Snapshots, 0.1 %, full range, 32-bit counters";
        PlainHdrHistogram<uint> histogram = Filled(HdrHistogram.Factory);
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        uint[] counters = CountsOf(histogram);
        ulong[] copy = new ulong[counters.Length], last = new ulong[counters.Length];
        Repeated copies = new("one vectorized pass that copies the counters to 64 bits", FewMicroseconds, () => VectorPasses.Copy(counters, copy));
        Repeated deltas = new("one vectorized pass that writes deltas and last counts", FewMicroseconds, () => VectorPasses.Deltas(counters, last, copy));
        yield return new Row(Section, copies);
        yield return new Row(Section, new Repeated("snapshot.Update()", FewMicroseconds, () => snapshot.Update()), copies, 1.3);
        yield return new Row(Section, new Repeated("GetSnapshot()", 1, () => histogram.GetSnapshot()), copies);
        yield return new Row(Section, deltas);
        yield return new Row(Section, new Repeated("snapshot.Update(deltas: true)", FewMicroseconds, () => snapshot.Update(deltas: true)), deltas, 1.5);
    }

    /// <summary>Compares summaries of a thread-local histogram, for several numbers of threads, with passes over the same number of arrays. With
    /// many threads, the data does not fit in the second-level cache in either case.</summary>
    public static IEnumerable<Row> OfThreads()
    {
        const string Section = "GetSummary(reuse) of a thread-local histogram, 0 to 1 h in nanoseconds, 0.1 %, 32-bit counters";
        ThreadLocalHdrHistogramFactory<uint> factory = HdrHistogram.Factory.WithMaxTrackableValue(SummaryWorkload.OneHour).WithThreadLocal();
        HdrHistogramSummary summary = new();
        Repeated? fewerPasses = null, fewerSummaries = null;
        int fewer = 0;
        foreach (int threads in new[] { 1, 2, 8, 32 })
        {
            uint[][] counts = [.. Enumerable.Range(0, threads).Select(_ => CountsOf(SummaryWorkload.Create()))];
            ulong[] sums = new ulong[counts[0].Length];
            ThreadLocalHdrHistogram<uint> histogram = FilledBy(threads, factory);
            Repeated passes = new(
                $"one vectorized pass per array that adds it to 64-bit sums, arrays: {threads}",
                Few(threads),
                () => Array.ForEach(counts, array => VectorPasses.Add(array, sums)));
            Repeated summaries = new($"GetSummary(reuse), threads: {threads}", Few(threads), () => histogram.GetSummary(summary));
            yield return new Row(Section, passes);
            yield return new Row(Section, summaries, passes);
            if (fewer >= 2)
            {
                // The counters of a single thread are read in place, without sums, so growth is measured from two threads on.
                Growth pass = new($"cost of each additional array, {fewer} to {threads} arrays", fewerPasses!, passes, threads - fewer);
                yield return new Row(Section, pass);
                yield return new Row(
                    Section, new Growth($"cost of each additional thread, {fewer} to {threads} threads", fewerSummaries!, summaries, threads - fewer), pass, 1.2);
            }

            (fewer, fewerPasses, fewerSummaries) = (threads, passes, summaries);
        }

        static int Few(int threads) => Math.Max(FewMicroseconds / threads, 4);
    }

    private static uint[] CountsOf(HdrHistogram histogram) => [.. histogram.Buckets.Select(bucket => (uint)bucket.Count)];

    private static PlainHdrHistogram<uint> Filled(PlainHdrHistogramFactory<uint> factory)
    {
        PlainHdrHistogram<uint> histogram = factory.Create();
        histogram.Record(ValueSet.Wide.Values);
        RecordAllMagnitudes(histogram);
        return histogram;
    }

    private static ThreadLocalHdrHistogram<uint> FilledBy(int threads, ThreadLocalHdrHistogramFactory<uint> factory)
    {
        ThreadLocalHdrHistogram<uint> histogram = factory.Create();
        using Barrier allAlive = new(threads);
        Thread[] writers = [.. Enumerable.Range(0, threads).Select(_ => new Thread(() =>
        {
            histogram.Record(ValueSet.Wide.Values);
            RecordAllMagnitudes(histogram);
            allAlive.SignalAndWait();
        }))];
        Array.ForEach(writers, writer => writer.Start());
        Array.ForEach(writers, writer => writer.Join());
        return histogram;
    }

    /// <summary>Records values, so that all counters are allocated and each read includes them.</summary>
    private static void RecordAllMagnitudes(HdrHistogram histogram)
    {
        for (int scale = 0; scale < 64; scale++)
        {
            histogram.Record(1UL << scale);
        }
    }
}

/// <summary>Measures the cost of each additional item, from two contenders with different numbers of items. The cost is the difference of the
/// shortest times so far, because the difference of two single times is mostly noise on a busy machine.</summary>
internal sealed class Growth(string name, Contender fewer, Contender more, int additional) : Contender(name, operations: 1)
{
    private double _shortestOfFewer = double.MaxValue;
    private double _shortestOfMore = double.MaxValue;

    public override void Run(int operations) => more.Run(operations);

    public override double Measure()
    {
        _shortestOfFewer = Math.Min(_shortestOfFewer, fewer.Measure());
        _shortestOfMore = Math.Min(_shortestOfMore, more.Measure());
        return (_shortestOfMore - _shortestOfFewer) / additional;
    }
}
