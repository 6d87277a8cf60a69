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
        ShouldMeasure(new(7, 0, 250, 999), JitterState.Done, 7, 0, 250, 999);
        ShouldMeasure(new(3_500, 20, 0, 0, 5), JitterState.Done, 3_500, 2_520, 1_520, 520, 5); // due times that have passed are measured too
        ShouldMeasure(new(7, 8) { Interruptions = 3 }, JitterState.Done, 7, 8); // an interrupted sleep continues
        ShouldMeasure(new(1) { Refusal = 38 }, -38); // a refused sleep ends the loop

        void ShouldMeasure(JitterScript script, int result, params ulong[] samples)
        {
            using Measured measured = new(isNative, script, loops: Math.Max(1, (ulong)samples.Length));
            measured.Drain().Should().Equal(samples);
            measured.Result.Should().Be(result);
            measured.FirstDues.Should().BeSubsetOf([JitterScript.Start + Interval]);
        }
    }

    [Theory, MemberData(nameof(Loops))]
    public void A_latency_above_the_limit_causes_a_break_even_if_the_ring_is_full_and_one_at_the_limit_does_not(bool isNative)
    {
        foreach ((JitterScript script, ulong slotCount, ulong brokeAt, ulong lost, ulong[] samples) in new (JitterScript, ulong, ulong, ulong, ulong[])[]
            { (new(100, 101, 5), 1_024, 101, 0, [100, 101]), (new(1, 2, 3, 4, 500), 4, 500, 1, [1, 2, 3, 4]) })
        {
            using Measured measured = new(isNative, script, loops: 9, breakAbove: 100, slotCount: slotCount);
            measured.Result.Should().Be(JitterState.Broken);
            measured.State->BrokeAt.Should().Be(brokeAt);
            measured.Drain().Should().Equal(samples);
            measured.TotalLost.Should().Be(lost);
        }
    }

    [Theory, MemberData(nameof(Loops))]
    public void A_stop_during_a_sleep_stores_the_wake_up_and_ends_the_loop(bool isNative)
    {
        using Measured measured = new(isNative, [1, 2, 3, 4], (it, i) => it.State->Stop = i == 2 ? 1UL : 0, loops: JitterState.Unlimited);
        measured.Drain().Should().Equal(1, 2, 3);
    }

    [Theory, MemberData(nameof(Loops))]
    public void Each_sample_has_its_due_time_for_any_latencies_and_reads(bool isNative) => Seeded.Run(200, random =>
    {
        ulong[] lateBy = [.. Enumerable.Range(0, random.Next(1, 400)).Select(_ => random.Next(8) == 0 ? (ulong)random.Next(50_000) : (ulong)random.Next(1_200))];
        ulong[] expected = JitterScript.Latencies(Interval, lateBy);
        int readEvery = random.Next(1, 60);
        ulong slotCount = 1UL << random.Next(1, 9);
        using Measured measured = new(
            isNative, lateBy, (it, i) => _ = i % readEvery == readEvery - 1 ? it.Drain() : [], (ulong)lateBy.Length, slotCount: slotCount);
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
        private readonly JitterRing _ring;
        private ulong _lost;

        public Measured(bool isNative, JitterScript script, ulong loops, ulong breakAbove = JitterState.Unlimited, ulong slotCount = 1_024)
        {
            _ring = new JitterRing(new ScriptedJitterSystem(), new JitterPlan(Interval, loops, breakAbove), new ReasonList(), slotCount);
            Result = isNative ? script.RunNative(State) : script.RunManaged(State);
        }

        public Measured(bool isNative, ulong[] lateBy, Action<Measured, int> meanwhile, ulong loops, ulong slotCount = 1_024)
        {
            _ring = new JitterRing(new ScriptedJitterSystem(), new JitterPlan(Interval, loops, JitterState.Unlimited), new ReasonList(), slotCount);
            JitterScript script = new(lateBy) { Meanwhile = i => meanwhile(this, i) };
            Result = isNative ? script.RunNative(State) : script.RunManaged(State);
        }

        public JitterState* State => _ring.State;

        public int Result { get; }

        public CpuJitter Jitter { get; } = new(0, 0);

        public List<ulong> FirstDues { get; } = [];

        public List<int> Indexes { get; } = [];

        public List<ulong> Samples { get; } = [];

        public ulong TotalLost => _lost + State->Lost;

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
