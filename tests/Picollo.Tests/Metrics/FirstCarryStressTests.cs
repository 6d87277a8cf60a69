using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>
/// The first carry of a 32-bit counter beside a summary: until then a summary reads the counters alone, and must not begin
/// with them and end after the count has moved.
/// </summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class FirstCarryStressTests
{
    [Fact]
    public void A_summary_beside_the_first_carry_misses_nothing()
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
                histogram!.Record(ulong.MaxValue); // the last bucket, which a summary comes to last
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
