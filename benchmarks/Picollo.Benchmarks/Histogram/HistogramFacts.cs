namespace Picollo.Benchmarks.Histogram;

/// <summary>Measures the memory of histograms and the allocations of their operations.</summary>
internal static class HistogramFacts
{
    private const int Operations = 10_000;

    /// <summary>Prints the bytes that operations allocate after a warm-up. The target is 0.</summary>
    public static void PrintAllocations(TextWriter output)
    {
        PlainHdrHistogram<uint> plain = SummaryWorkload.Create();
        ThreadLocalHdrHistogram<uint> threadLocal = HdrHistogram.Factory.WithThreadLocal().Create();
        InterlockedHdrHistogram<uint> interlocked = HdrHistogram.Factory.WithInterlocked().Create();
        HdrHistogramSummary summary = new();
        HdrHistogramSnapshot snapshot = plain.GetSnapshot();
        ulong[] values = ValueSet.Narrow.Values[..100];
        ulong value = 0;
        Array.ForEach<HdrHistogram>([plain, threadLocal, interlocked], RecordInEachOctave);

        FactTable table = new("Allocations of an operation on its thread");
        Add("plain Record", () => plain.Record(value++));
        Add("plain Record(span)", () => plain.Record(values));
        Add("thread-local Record", () => threadLocal.Record(value++));
        Add("interlocked Record", () => interlocked.Record(value++));
        Add("using (h.GetNanoScope())", () =>
        {
            using (threadLocal.GetNanoScope())
            {
            }
        });
        Add("using (h.GetPicoScope())", () =>
        {
            using (threadLocal.GetPicoScope())
            {
            }
        });
        Add("GetSummary(reuse)", () => plain.GetSummary(summary));
        Add("snapshot.Update()", () => snapshot.Update());
        Add("snapshot.Update(deltas: true)", () => snapshot.Update(deltas: true));
        Add("snapshot.GetSummary(reuse)", () => snapshot.GetSummary(summary));
        table.Print(output);

        void Add(string name, Action operation) => table.Add(name, new Repeated(name, Operations, operation).AllocatedBytes(Operations), 0);
    }

    /// <summary>Prints the memory of histograms on the heap.</summary>
    public static void PrintFootprints(TextWriter output)
    {
        PlainHdrHistogramFactory<uint> factory = HdrHistogram.Factory;
        FactTable table = new("Footprint, 32-bit counters");
        table.Add("default settings, nothing recorded", factory.Create().FootprintInBytes, 8_192);
        table.Add("default settings, values from 20,000 to 40,000", FootprintOfFew(factory.Create()), 8_192 + 8_192);
        table.Add("1 %, 0 to 1 h in nanoseconds", FullFootprint(factory.WithRelativeError(0.01).WithMaxTrackableValue(SummaryWorkload.OneHour)), 11_000);
        AddThreeDigits(7_716_549_600, 97_652);
        AddThreeDigits(30_000, 24_068);
        AddThreeDigits(1_000_000_000, 85_636);
        AddThreeDigits(long.MaxValue, 221_364);
        AddThreadLocal(threads: 1);
        AddThreadLocal(threads: 4);
        table.Print(output);

        void AddThreeDigits(ulong max, long limit) => table.Add(
            $"3 significant digits, 0 to {max}",
            FullFootprint(factory.WithSignificantDigits(3).WithMaxTrackableValue(max)),
            limit);

        void AddThreadLocal(int threads)
        {
            PlainHdrHistogramFactory<uint> shape = factory.WithSignificantDigits(3).WithMaxTrackableValue(ValueSet.MaxTrackableValue);
            table.Add(
                $"thread-local, 3 significant digits, 0 to {ValueSet.MaxTrackableValue}, concurrent threads: {threads}",
                FootprintAfter(shape.WithThreadLocal().Create(), threads),
                (threads + 1) * FullFootprint(shape));
        }
    }

    private static long FootprintOfFew(HdrHistogram histogram)
    {
        histogram.Record([20_000, 40_000]);
        return histogram.FootprintInBytes;
    }

    private static long FullFootprint(PlainHdrHistogramFactory<uint> factory)
    {
        PlainHdrHistogram<uint> histogram = factory.Create();
        RecordInEachOctave(histogram);
        return histogram.FootprintInBytes;
    }

    /// <summary>Records values, so that the histogram allocates all its counters.</summary>
    private static void RecordInEachOctave(HdrHistogram histogram)
    {
        for (int scale = 0; scale < 64; scale++)
        {
            histogram.Record(1UL << scale);
        }
    }

    private static long FootprintAfter(ThreadLocalHdrHistogram<uint> histogram, int threads)
    {
        using Barrier allAlive = new(threads);
        Thread[] writers = [.. Enumerable.Range(0, threads).Select(_ => new Thread(() =>
        {
            RecordInEachOctave(histogram);
            allAlive.SignalAndWait();
        }))];
        Array.ForEach(writers, writer => writer.Start());
        Array.ForEach(writers, writer => writer.Join());
        return histogram.FootprintInBytes;
    }
}
