using System.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Tests carries of 32-bit counters during concurrent writes and reads.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class CarryStressTests
{
    /// <summary>Before the first carry, a summary reads only the counters; the count must not move to the carries meanwhile.</summary>
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

    private const uint CarryUnit = 1u << 31;
    private const int Meetings = 5_000;

    /// <summary>Long enough for a busy machine. With one processor, only a few collisions happen in this time.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(10);

    /// <summary>A carry subtracts the count of a counter while another thread adds to it. A test cannot stop a thread between the read and
    /// the write of one instruction, so the two must collide often: the test counts the additions of the other thread during carries.</summary>
    [Fact]
    public void A_carry_with_a_concurrent_writer_loses_no_count()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithMaxTrackableValue(1).Create();
        CounterBlock<uint> block = new(histogram.Range);
        OctaveTable octaves = default;
        ulong added = 0, carried = 0;
        using (NewThread.Loop(() =>
        {
            Interlocked.Increment(ref block.CounterAt(ref octaves, 0));
            Volatile.Write(ref added, added + 1);
        }))
        {
            long start = Stopwatch.GetTimestamp();
            for (int meetings = 0; meetings < Meetings && Stopwatch.GetElapsedTime(start) < Longest;)
            {
                Interlocked.Add(ref block.CounterAt(ref octaves, 0), CarryUnit);
                ulong before = Volatile.Read(ref added);
                block.MoveToCarries(0);
                meetings += Volatile.Read(ref added) == before ? 0 : 1;
                carried += CarryUnit;
            }
        }

        ulong[] sums = new ulong[2];
        block.AddCountsTo(sums, ..2);
        sums[0].Should().Be(added + carried);
    }
}
