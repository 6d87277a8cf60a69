using System.Runtime.CompilerServices;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class CounterBlockTests
{
    [Theory]
    [InlineData(1 << 16)]
    [InlineData((1 << 16) + 1)]
    [InlineData((1UL << 31) - 1)]
    public void A_writer_does_not_wait_for_a_reader(ulong count)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithMaxTrackableValue(3).Create();
        OctaveTable octaves = default;
        var block = new CounterBlock<uint>(histogram.Range);
        var writer = new Thread(() => block.RecordInterlocked(ref octaves, 2, count)) { IsBackground = true };
        lock (block.Gate) // like a reader during a copy
        {
            writer.Start();
            writer.Join(TimeSpan.FromSeconds(30)).Should().BeTrue();
        }

        ulong[] sums = new ulong[4];
        block.CopyCountsTo(sums, ..4);
        block.AddCountsTo(sums, ..4);
        sums.Should().Equal(0, 0, 2 * count, 0);
    }

    [Theory]
    [InlineData(0.1, 1)]
    [InlineData(0.1, 1UL << 58)]
    [InlineData(0.001, 1)]
    [InlineData(0.001, 64)]
    [InlineData(0.000_1, 1 << 20)]
    [InlineData(0.000_01, 1)]
    public unsafe void Writers_find_the_counter_of_each_value_once_it_exists(double relativeError, ulong unit)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(relativeError).WithLowestDiscernibleValue(unit).Create();
        OctaveTable octaves = default;
        var block = new CounterBlock<uint>(histogram.Range);
        foreach (ulong value in Values.Edges)
        {
            OctaveTable.EntryOf(ref octaves, value).Should().Be(0);
        }

        foreach (ulong value in Values.Edges)
        {
            ref uint counter = ref block.CounterAt(ref octaves, (int)(histogram.Layout.IndexOf(value) - histogram.FirstIndex));

            ulong entry = OctaveTable.EntryOf(ref octaves, value);
            entry.Should().NotBe(0);
            (OctaveTable.CounterOf<uint>(entry, value) == Unsafe.AsPointer(ref counter)).Should().BeTrue("value {0}", value);
        }

        GC.KeepAlive(block);
    }

    [Theory]
    [InlineData(1_100, true)]
    [InlineData(1_900, false)]
    public unsafe void Carried_counts_of_values_out_of_range_remain_out_of_range(ulong value, bool isBelow)
    {
        const uint Carried = 1U << 31;
        HdrHistogram histogram = HdrHistogram.Factory.WithMinTrackableValue(1_400).WithMaxTrackableValue(1_800).Create();
        OctaveTable octaves = default;
        var block = new CounterBlock<uint>(histogram.Range);
        block.Record(ref octaves, 1_500, 1); // allocates the counters of 1,024 to 2,047
        uint* counter = OctaveTable.CounterOf<uint>(OctaveTable.EntryOf(ref octaves, value), value);
        *counter = Carried + 5; // the state after this number of records, which would take too long

        block.MoveToCarries(value);

        (*counter).Should().Be(0);
        block.OutOfRange.Should().Be(isBelow ? (Carried + 5UL, 0UL) : (0UL, Carried + 5UL));
        using HdrHistogram sum = HdrHistogram.Factory.WithLayoutOf(histogram).WithMinTrackableValue(1_400).WithMaxTrackableValue(1_800).Create();
        List<(int Number, ulong Count)>? rest = null;
        block.TryAddTo(sum, ref rest).Should().BeTrue();
        rest.Should().BeNull("out-of-range counts are not added to a bucket");
        GC.KeepAlive(block);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_counter_that_a_batch_fills_is_carried_at_any_index(int place)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithMaxTrackableValue(4).Create();
        OctaveTable octaves = default;
        var block = new CounterBlock<uint>(histogram.Range);
        block.CounterAt(ref octaves, place) = int.MaxValue;

        block.Record(ref octaves, [0, 1, 2, 3]);

        block.CounterAt(ref octaves, place).Should().Be(0, "otherwise it could wrap");
        ulong[] sums = new ulong[4];
        block.AddCountsTo(sums, ..4);
        sums[place].Should().Be(1UL << 31);
        sums.Aggregate((sum, count) => sum + count).Should().Be((1UL << 31) + 3);
    }
}
