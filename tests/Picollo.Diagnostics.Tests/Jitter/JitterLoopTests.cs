using Picollo.Interop.Native;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests the measuring loop with a scripted clock: the managed loop, and the native one if the library exists.</summary>
public sealed unsafe class JitterLoopTests
{
    private const ulong Interval = 1_000;

    public static TheoryData<bool> Loops => NativeLoop.IsAvailable ? [false, true] : [false];

    [Fact]
    public void The_native_loop_is_available_if_the_library_is() => NativeLoop.IsAvailable.Should().Be(Repository.HasShim(ThisMachine.Rid),
        "otherwise, only the managed loop would be tested");

    [Theory, MemberData(nameof(Loops))]
    public void Each_latency_is_the_time_since_its_due_time(bool isNative)
    {
        using Measured measured = new(isNative, new JitterScript(7, 0, 250, 999), loops: 4);
        measured.Result.Should().Be(JitterState.Done);
        measured.Drain().Should().Equal(7, 0, 250, 999);
        measured.FirstDues.Should().Equal(JitterScript.Start + Interval);
    }

    [Theory, MemberData(nameof(Loops))]
    public void Due_times_that_have_passed_are_measured_too(bool isNative)
    {
        using Measured measured = new(isNative, new JitterScript(3_500, 20, 0, 0, 5), loops: 5);
        measured.Drain().Should().Equal(3_500, 2_520, 1_520, 520, 5);
    }

    [Theory, MemberData(nameof(Loops))]
    public void An_interrupted_sleep_continues(bool isNative)
    {
        using Measured measured = new(isNative, new JitterScript(7, 8) { Interruptions = 3 }, loops: 2);
        measured.Drain().Should().Equal(7, 8);
    }

    [Theory, MemberData(nameof(Loops))]
    public void A_refused_sleep_ends_the_loop(bool isNative)
    {
        using Measured measured = new(isNative, new JitterScript { Refusal = 38 }, loops: 2);
        measured.Result.Should().Be(-38);
        measured.Drain().Should().BeEmpty();
    }

    [Theory, MemberData(nameof(Loops))]
    public void A_latency_above_the_limit_causes_a_break_and_one_at_the_limit_does_not(bool isNative)
    {
        using Measured measured = new(isNative, new JitterScript(100, 101, 5), loops: 3, breakAbove: 100);
        measured.Result.Should().Be(JitterState.Broken);
        measured.State->BrokeAt.Should().Be(101);
        measured.Drain().Should().Equal(100, 101);
    }

    [Theory, MemberData(nameof(Loops))]
    public void A_break_is_reported_even_if_the_ring_is_full(bool isNative)
    {
        using Measured measured = new(isNative, new JitterScript(1, 2, 3, 4, 500), loops: 9, breakAbove: 100, slotCount: 4);
        measured.Result.Should().Be(JitterState.Broken);
        measured.State->BrokeAt.Should().Be(500);
        measured.Drain().Should().Equal(1, 2, 3, 4);
        measured.TotalLost.Should().Be(1);
    }

    [Theory, MemberData(nameof(Loops))]
    public void A_stop_during_a_sleep_stores_the_wake_up_and_ends_the_loop(bool isNative)
    {
        Measured? measured = null;
        var script = new JitterScript(1, 2, 3, 4) { Meanwhile = i => measured!.State->Stop = i == 2 ? 1UL : 0 };
        measured = new Measured(isNative, script, loops: JitterState.Unlimited, runs: false);
        using (measured)
        {
            measured.Run();
            measured.Drain().Should().Equal(1, 2, 3);
        }
    }

    [Theory, MemberData(nameof(Loops))]
    public void Lost_samples_are_counted_and_later_ones_keep_their_due_times(bool isNative)
    {
        Measured? measured = null;
        List<ulong> read = [];
        ulong[] lateBy = [.. Enumerable.Range(1, 14).Select(i => (ulong)i)];
        var script = new JitterScript(lateBy)
        {
            Meanwhile = i =>
            {
                if (i == 10)
                {
                    read.AddRange(measured!.Drain());
                }
            },
        };
        measured = new Measured(isNative, script, loops: 14, slotCount: 8, runs: false);
        using (measured)
        {
            measured.Run();
            read.AddRange(measured.Drain());
            read.Should().Equal(1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14);
            measured.FirstDues.Should().Equal(JitterScript.Start + Interval, JitterScript.Start + (11 * Interval));
            measured.TotalLost.Should().Be(2);
        }
    }

    [Theory, MemberData(nameof(Loops))]
    public void A_count_of_lost_samples_and_the_next_sample_need_two_slots(bool isNative)
    {
        Measured? measured = null;
        ulong[] lateBy = [.. Enumerable.Range(1, 14).Select(i => (ulong)i)];
        var script = new JitterScript(lateBy) { Meanwhile = i => measured!.State->Tail += i is 9 or 11 ? 1UL : 0 };
        measured = new Measured(isNative, script, loops: 14, slotCount: 8, runs: false);
        using (measured)
        {
            measured.Run();
            measured.State->Head.Should().Be(10);
            measured.State->Samples[0].Should().Be(JitterState.LostMark | 3);
            measured.State->Samples[1].Should().Be(12);
            measured.State->Lost.Should().Be(2);
        }
    }

    [Theory, MemberData(nameof(Loops))]
    public void Each_sample_has_its_due_time_for_any_latencies_and_reads(bool isNative) => Seeded.Run(200, random =>
    {
        ulong[] lateBy = [.. Enumerable.Range(0, random.Next(1, 400)).Select(_ => random.Next(8) == 0 ? (ulong)random.Next(50_000) : (ulong)random.Next(1_200))];
        ulong[] expected = JitterScript.Latencies(Interval, lateBy);
        int readEvery = random.Next(1, 60);
        ulong slotCount = 1UL << random.Next(1, 9);
        Measured? measured = null;
        var script = new JitterScript(lateBy)
        {
            Meanwhile = i =>
            {
                if (i % readEvery == readEvery - 1)
                {
                    measured!.Drain();
                }
            },
        };
        measured = new Measured(isNative, script, (ulong)lateBy.Length, slotCount: slotCount, runs: false);
        using (measured)
        {
            measured.Run();
            measured.Drain();

            measured.Indexes.Should().BeInAscendingOrder().And.OnlyHaveUniqueItems();
            measured.Samples.Should().Equal(measured.Indexes.Select(i => expected[i]));
            ((ulong)measured.Samples.Count + measured.TotalLost).Should().Be((ulong)lateBy.Length);
            if (slotCount > (ulong)readEvery)
            {
                measured.TotalLost.Should().Be(0, "the ring was read before it was full");
            }

            // Compare the histogram and the status with the exact values of the samples.
            CpuJitterStatus status = measured.Jitter.GetStatus();
            status.Count.Should().Be(measured.Samples.Count);
            (status.MinNanoseconds, status.MaxNanoseconds, status.LastNanoseconds).Should().Be((measured.Samples.Min(), measured.Samples.Max(), measured.Samples[^1]));
            status.MeanNanoseconds.Should().BeApproximately(measured.Samples.Average(sample => (double)sample), 1e-6);
            var plain = measured.Samples.GroupBy(sample => measured.Jitter.Histogram.GetBucket(sample).Start).ToDictionary(group => group.Key, group => (ulong)group.Count());
            measured.Jitter.Histogram.BucketsWithValues.ToDictionary(bucket => bucket.Start, bucket => bucket.Count).Should().Equal(plain);
        }
    });

    [Fact]
    public void The_ring_holds_ten_seconds_within_its_limits()
    {
        JitterRing.SlotCountFor(1_000_000).Should().Be(16_384);
        JitterRing.SlotCountFor(1_000).Should().Be(131_072);
        JitterRing.SlotCountFor(1_000_000_000).Should().Be(8_192);
    }

    /// <summary>A loop that has run or can be run, and the samples that its reader received.</summary>
    private sealed class Measured : IDisposable
    {
        private readonly bool _isNative;
        private readonly JitterScript _script;
        private readonly JitterRing _ring;
        private ulong _lost;

        public Measured(bool isNative, JitterScript script, ulong loops, ulong breakAbove = JitterState.Unlimited, ulong slotCount = 1_024, bool runs = true)
        {
            (_isNative, _script) = (isNative, script);
            _ring = new JitterRing(new ScriptedJitterSystem(), new JitterPlan(Interval, loops, breakAbove), new ReasonList(), slotCount);
            if (runs)
            {
                Run();
            }
        }

        public JitterState* State => _ring.State;

        public int Result { get; private set; }

        public CpuJitter Jitter { get; } = new(0, 0);

        public List<ulong> FirstDues { get; } = [];

        public List<int> Indexes { get; } = [];

        public List<ulong> Samples { get; } = [];

        public ulong TotalLost => _lost + State->Lost;

        public void Run() => Result = _isNative ? _script.RunNative(State) : _script.RunManaged(State);

        public List<ulong> Drain()
        {
            int before = Samples.Count;
            _lost += _ring.Drain((due, latencies) =>
            {
                latencies.Length.Should().BePositive();
                Jitter.Add(latencies);
                FirstDues.Add(due);
                Indexes.AddRange(Enumerable.Range((int)((due - JitterScript.Start) / Interval) - 1, latencies.Length));
                Samples.AddRange(latencies);
            });
            return Samples[before..];
        }

        public void Dispose() => _ring.Dispose();
    }
}
