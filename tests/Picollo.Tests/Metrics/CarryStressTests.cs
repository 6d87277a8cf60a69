using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Tests a summary during the first carry of a 32-bit counter. Before it, a summary reads only the counters; the count must not
/// move to the carries during the read.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class FirstCarryStressTests
{
    [Fact]
    public void A_summary_during_the_first_carry_misses_no_count()
    {
        const int Rounds = 1_500;
        const ulong Full = (1UL << 31) - 1;
        HdrHistogramSummary summary = new();
        using Barrier round = new(2);
        HdrHistogram? histogram = null;
        Thread writer = new(() =>
        {
            for (int i = 0; i < Rounds; i++)
            {
                round.SignalAndWait();
                Thread.SpinWait(i % 500);
                histogram!.Record(ulong.MaxValue); // the last bucket, which a summary reads last
                round.SignalAndWait();
            }
        });
        writer.IsBackground = true;
        writer.Start();
        int wrong = 0;
        for (int i = 0; i < Rounds; i++)
        {
            histogram = HdrHistogram.Create();
            histogram.Record(ulong.MaxValue, Full);
            round.SignalAndWait();
            for (int read = 0; read < 4; read++)
            {
                wrong += histogram.GetSummary(summary).TotalCount is Full or Full + 1 ? 0 : 1;
            }

            round.SignalAndWait();
            wrong += histogram.GetSummary(summary).TotalCount == Full + 1 ? 0 : 1;
        }

        writer.Join();
        wrong.Should().Be(0);
    }
}
