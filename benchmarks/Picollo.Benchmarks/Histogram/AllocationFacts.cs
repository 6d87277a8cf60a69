using Picollo.Benchmarks.Comparison;
using Picollo.Benchmarks.Histogram.Contenders;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Histogram;

/// <summary>Bytes that an operation allocates once its first calls are over: none are allowed.</summary>
internal static class AllocationFacts
{
    private const int WarmUpOperations = 1_000;
    private const int Operations = 10_000;

    public static void Print(TextWriter output)
    {
        PlainHdrHistogram<uint> plain = SummaryWorkload.Create();
        ThreadLocalHdrHistogram<uint> threadLocal = HdrHistogram.Factory.WithThreadLocal().Create();
        InterlockedHdrHistogram<uint> interlocked = HdrHistogram.Factory.WithInterlocked().Create();
        HdrHistogramSummary summary = new();
        HdrHistogramSnapshot snapshot = plain.GetSnapshot();
        ulong[] values = ValueSet.Narrow.Values[..100];

        FactTable table = new("Allocated by an operation, on its thread");
        Add("plain Record", i => plain.Record((ulong)i));
        Add("plain Record(span)", _ => plain.Record(values));
        Add("thread-local Record", i => threadLocal.Record((ulong)i));
        Add("interlocked Record", i => interlocked.Record((ulong)i));
        Add("using (h.GetNanoScope())", _ =>
        {
            using (threadLocal.GetNanoScope())
            {
            }
        });
        Add("using (h.GetPicoScope())", _ =>
        {
            using (threadLocal.GetPicoScope())
            {
            }
        });
        Add("GetSummary(reuse)", _ => plain.GetSummary(summary));
        Add("snapshot.Update()", _ => snapshot.Update());
        Add("snapshot.Update(deltas: true)", _ => snapshot.Update(deltas: true));
        Add("snapshot.GetSummary(reuse)", _ => snapshot.GetSummary(summary));
        table.Print(output);

        void Add(string what, Action<int> operation) => table.Add(what, AllocatedBytesPerOperation(operation), 0);
    }

    private static double AllocatedBytesPerOperation(Action<int> operation)
    {
        for (int i = 0; i < WarmUpOperations; i++)
        {
            operation(i);
        }

        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < Operations; i++)
        {
            operation(i);
        }

        return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)Operations;
    }
}
