namespace Picollo.Benchmarks.Histogram;

/// <summary>Adding, snapshots and thread-local summaries against one vectorised pass over arrays of the same lengths that does the same
/// work.</summary>
internal static class ReadingRows
{
    private const int FewMicroseconds = 50;

    /// <summary>One histogram added to another, three significant digits, the range of all values: 56,320 counters.</summary>
    public static IEnumerable<Row> OfAdding()
    {
        const string Section = "Add, three digits, all values, 32-bit";
        PlainHdrHistogramFactory<uint> factory = HdrHistogram.Factory.WithSignificantDigits(3);
        PlainHdrHistogram<uint> source = Filled(factory), target = factory.Create(), finer = HdrHistogram.Factory.WithSignificantDigits(4).Create();
        HdrHistogramSnapshot snapshot = source.GetSnapshot();
        uint[] counts = CountsOf(source), sums = new uint[counts.Length];
        Repeated pass = new("one vectorised pass that adds one array to the other", FewMicroseconds, () => VectorPasses.Add(counts, sums));
        yield return new Row(Section, pass);
        yield return new Row(Section, new Repeated("Add of the same layout", FewMicroseconds, () => target.Add(source)), pass, 2);
        yield return new Row(Section, new Repeated("Add of a snapshot of the same layout", FewMicroseconds, () => target.Add(snapshot)), pass);
        yield return new Row(Section, new Repeated("Add of another layout (to four digits)", 1, () => finer.Add(source)), pass);
    }

    /// <summary>Snapshots of a histogram at the default precision, all values.</summary>
    public static IEnumerable<Row> OfSnapshots()
    {
        const string Section = "Snapshots, 0.1 %, all values, 32-bit";
        PlainHdrHistogram<uint> histogram = Filled(HdrHistogram.Factory);
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        uint[] counters = CountsOf(histogram);
        ulong[] copy = new ulong[counters.Length], last = new ulong[counters.Length];
        Repeated copies = new("one vectorised pass that copies to 64 bits", FewMicroseconds, () => VectorPasses.Copy(counters, copy));
        Repeated deltas = new("one vectorised pass that writes deltas and last counts", FewMicroseconds, () => VectorPasses.Deltas(counters, last, copy));
        yield return new Row(Section, copies);
        yield return new Row(Section, new Repeated("snapshot.Update()", FewMicroseconds, () => snapshot.Update()), copies, 1.3);
        yield return new Row(Section, new Repeated("GetSnapshot()", 1, () => histogram.GetSnapshot()), copies);
        yield return new Row(Section, deltas);
        yield return new Row(Section, new Repeated("snapshot.Update(deltas: true)", FewMicroseconds, () => snapshot.Update(deltas: true)), deltas, 1.5);
    }

    /// <summary>Summaries of a thread-local histogram by how many threads have recorded, against passes over as many arrays as there are
    /// threads: with many threads neither fits in the second-level cache.</summary>
    public static IEnumerable<Row> OfThreads()
    {
        const string Section = "GetSummary(reuse) of a thread-local histogram, one hour at 0.1 %, 32-bit";
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
                $"one vectorised pass per array that adds to 64-bit sums, {threads} arrays",
                Few(threads),
                () => Array.ForEach(counts, array => VectorPasses.Add(array, sums)));
            Repeated summaries = new($"GetSummary(reuse), {threads} threads' counters", Few(threads), () => histogram.GetSummary(summary));
            yield return new Row(Section, passes);
            yield return new Row(Section, summaries, passes);
            if (fewer >= 2)
            {
                // One thread's counters are read in place, without sums.
                Growth pass = new($"the pass over each further array, {fewer} to {threads} arrays", fewerPasses!, passes, threads - fewer);
                yield return new Row(Section, pass);
                yield return new Row(
                    Section, new Growth($"each further thread, {fewer} to {threads} threads", fewerSummaries!, summaries, threads - fewer), pass, 1.2);
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

    /// <summary>Makes all counters exist, so that no pass over them is saved.</summary>
    private static void RecordAllMagnitudes(HdrHistogram histogram)
    {
        for (int scale = 0; scale < 64; scale++)
        {
            histogram.Record(1UL << scale);
        }
    }
}

/// <summary>What each further one of something costs, from two contenders that differ in how many there are: the difference of the shortest
/// times so far. The difference of two single times is mostly noise on a busy machine.</summary>
internal sealed class Growth(string name, Contender fewer, Contender more, int further) : Contender(name, operations: 1)
{
    private double _shortestOfFewer = double.MaxValue;
    private double _shortestOfMore = double.MaxValue;

    public override void Run(int operations) => more.Run(operations);

    public override double Measure()
    {
        _shortestOfFewer = Math.Min(_shortestOfFewer, fewer.Measure());
        _shortestOfMore = Math.Min(_shortestOfMore, more.Measure());
        return (_shortestOfMore - _shortestOfFewer) / further;
    }
}
