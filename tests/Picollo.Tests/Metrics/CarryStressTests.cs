using System.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>A carry subtracts the count of a 32-bit counter while another thread adds to the counter. A test cannot stop a thread between the
/// read and the write of one instruction, so the two must collide often: the test counts the additions of the other thread during
/// carries.</summary>
[Collection(Alone.Name)]
public class CarryStressTests
{
    private const uint CarryUnit = 1u << 31;
    private const int Meetings = 5_000;

    /// <summary>Long enough for a busy machine. With one processor, only a few collisions happen in this time.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(10);

    [Fact]
    public void A_carry_with_a_concurrent_writer_loses_no_count()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithMaxTrackableValue(1).Create();
        CounterBlock<uint> block = new(histogram.Range);
        OctaveTable octaves = default;
        ulong added = 0, carried = 0;
        bool hasEnded = false;
        Thread writer = new(() =>
        {
            while (!Volatile.Read(ref hasEnded))
            {
                Interlocked.Increment(ref block.CounterAt(ref octaves, 0));
                Volatile.Write(ref added, added + 1);
            }
        });
        writer.Start();
        long start = Stopwatch.GetTimestamp();
        for (int meetings = 0; meetings < Meetings && Stopwatch.GetElapsedTime(start) < Longest;)
        {
            Interlocked.Add(ref block.CounterAt(ref octaves, 0), CarryUnit);
            ulong before = Volatile.Read(ref added);
            block.MoveToCarries(0);
            meetings += Volatile.Read(ref added) == before ? 0 : 1;
            carried += CarryUnit;
        }

        Volatile.Write(ref hasEnded, true);
        writer.Join();

        ulong[] sums = new ulong[2];
        block.AddCountsTo(sums, ..2);
        sums[0].Should().Be(added + carried);
    }
}
