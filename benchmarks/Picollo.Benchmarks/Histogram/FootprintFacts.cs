using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Histogram.Contenders;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram;

/// <summary>What histograms take on the heap, all objects and arrays.</summary>
internal static class FootprintFacts
{
    public static void Print(TextWriter output)
    {
        PlainHdrHistogramFactory<uint> factory = HdrHistogram.Factory;
        FactTable table = new("Footprint, 32-bit counters");
        table.Add(
            "1 %, one hour of nanoseconds",
            factory.WithRelativeError(0.01).WithMaxTrackableValue(SummaryWorkload.OneHour).Create().FootprintInBytes,
            9_600);
        AddThreeDigits(7_716_549_600, 97_652);
        AddThreeDigits(30_000, 24_068);
        AddThreeDigits(1_000_000_000, 85_636);
        AddThreeDigits(long.MaxValue, 221_364);
        AddThreadLocal(threads: 1);
        AddThreadLocal(threads: 4);
        table.Print(output);

        void AddThreeDigits(ulong max, long limit) => table.Add(
            $"3 significant digits, 0 to {max}",
            factory.WithSignificantDigits(3).WithMaxTrackableValue(max).Create().FootprintInBytes,
            limit);

        void AddThreadLocal(int threads)
        {
            PlainHdrHistogramFactory<uint> shape = factory.WithSignificantDigits(3).WithMaxTrackableValue(ValueSet.MaxTrackableValue);
            table.Add(
                $"thread-local, 3 significant digits, 0 to {ValueSet.MaxTrackableValue}, {threads} thread(s) at once",
                FootprintAfter(shape.WithThreadLocal().Create(), threads),
                (threads + 1) * shape.Create().FootprintInBytes);
        }
    }

    private static long FootprintAfter(ThreadLocalHdrHistogram<uint> histogram, int threads)
    {
        using Barrier allAlive = new(threads);
        Thread[] writers = new Thread[threads];
        for (int i = 0; i < threads; i++)
        {
            writers[i] = new Thread(() =>
            {
                histogram.Record(1);
                allAlive.SignalAndWait();
            });
            writers[i].Start();
        }

        foreach (Thread writer in writers)
        {
            writer.Join();
        }

        return histogram.FootprintInBytes;
    }
}
