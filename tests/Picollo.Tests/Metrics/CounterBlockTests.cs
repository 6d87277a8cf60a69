using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class CounterBlockTests
{
    [Theory]
    [InlineData(1 << 16)]
    [InlineData((1 << 16) + 1)]
    [InlineData(1UL << 40)]
    public void A_writer_of_any_count_does_not_wait_for_a_reader(ulong count)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithMaxTrackableValue(3).Create();
        OctaveTable octaves = default;
        var block = new CounterBlock<uint>(histogram);
        var writer = new Thread(() => block.RecordInterlocked(ref octaves, histogram, 2, count)) { IsBackground = true };
        lock (block.Gate) // as a reader while it copies
        {
            writer.Start();
            writer.Join(TimeSpan.FromSeconds(30)).Should().BeTrue();
        }

        ulong[] sums = new ulong[4];
        block.CopyCountersTo(sums, ..4);
        block.AddCountersTo(sums, ..4);
        block.AddCarriesTo(sums, ..4);
        block.AddCarriesTo(sums, ..4);
        sums.Should().Equal(0, 0, 2 * count, 0);
    }
}
