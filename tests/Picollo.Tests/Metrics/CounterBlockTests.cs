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

    [Fact]
    public void Writers_find_a_counter_once_it_exists()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        OctaveTable octaves = default;
        var block = new CounterBlock<uint>(histogram);
        int leadingZeros = histogram.Layout.LeadingZerosOf(1_000_000);
        OctaveTable.At(ref octaves, leadingZeros).Should().Be(0);

        block.Record(ref octaves, histogram, 1_000_000, 1);

        OctaveTable.At(ref octaves, leadingZeros).Should().NotBe(0);
    }

    [Theory]
    [InlineData(1_100, true)]
    [InlineData(1_900, false)]
    public unsafe void Counts_out_of_range_that_were_carried_are_out_of_range(ulong value, bool isBelow)
    {
        const uint Carried = 1U << 31;
        HdrHistogram histogram = HdrHistogram.Factory.WithMinTrackableValue(1_400).WithMaxTrackableValue(1_800).Create();
        OctaveTable octaves = default;
        var block = new CounterBlock<uint>(histogram);
        block.Record(ref octaves, histogram, 1_500, 1); // the counters of 1,024 to 2,047
        int leadingZeros = histogram.Layout.LeadingZerosOf(value);
        uint* octave = (uint*)OctaveTable.At(ref octaves, leadingZeros);
        octave[histogram.Layout.PlaceOf(value, leadingZeros)] = Carried + 5; // as that many records leave it, which tests have no time for

        block.CarryInterlocked(histogram, value);

        octave[histogram.Layout.PlaceOf(value, leadingZeros)].Should().Be(5);
        block.OutOfRange.Should().Be(isBelow ? (Carried + 5UL, 0UL) : (0UL, Carried + 5UL));
        using HdrHistogram sum = HdrHistogram.Factory.WithLayoutOf(histogram).WithMinTrackableValue(1_400).WithMaxTrackableValue(1_800).Create();
        List<(int Number, ulong Count)>? rest = null;
        block.TryAddTo(sum, ref rest).Should().BeTrue();
        rest.Should().BeNull("what is out of range is added as such, not as a bucket");
        GC.KeepAlive(block);
    }
}
