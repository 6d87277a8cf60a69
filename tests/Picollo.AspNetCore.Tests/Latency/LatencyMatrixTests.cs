using Picollo.AspNetCore.Page;

namespace Picollo.AspNetCore.Tests.Latency;

public class LatencyMatrixTests
{
    private const long Millisecond = 1_000_000;

    private readonly LatencyMatrix _matrix = new();

    [Fact]
    public void Bands_are_a_factor_of_the_square_root_of_two_apart()
    {
        for (int band = 1; band < LatencyMatrix.Bands; band++)
        {
            long start = (long)Math.Ceiling(Math.Pow(2, 14 + ((band - 1) / 2.0)));
            (LatencyMatrix.BandOf(start - 1), LatencyMatrix.BandOf(start)).Should().Be((band - 1, band));
        }

        (LatencyMatrix.BandOf(-1), LatencyMatrix.BandOf(0), LatencyMatrix.BandOf(long.MaxValue)).Should().Be((0, 0, LatencyMatrix.Bands - 1));
    }

    [Fact]
    public void Runs_around_the_median_and_above_the_99th_percentile_have_their_own_states()
    {
        Add(980, cpu: 2, blocked: 0);
        Add(20, cpu: 1, blocked: 99);
        LatencySums sums = _matrix.Read();

        StatesOf(sums.Mean!).Should().Be((1.98, 1.98));
        StatesOf(sums.Middle!).Should().Be((2, 0));
        StatesOf(sums.High!).Should().Be((1, 99));
    }

    [Fact]
    public void A_band_that_contains_the_percentile_counts_with_its_runs_above_it()
    {
        Add(10, cpu: 1, blocked: 0);
        Add(985, cpu: 2, blocked: 0);
        Add(5, cpu: 0, blocked: 100);

        StatesOf(_matrix.Read().High!).Should().Be((1, 50), "half of the slowest 10 runs");
    }

    [Theory]
    [InlineData(9, false, false)]
    [InlineData(10, true, false)]
    [InlineData(199, true, false)]
    [InlineData(200, true, true)]
    public void Parts_need_at_least_two_runs(int count, bool hasMiddle, bool hasHigh)
    {
        _matrix.Read().Mean.Should().BeNull();
        Add(count, cpu: 1, blocked: 1);
        LatencySums sums = _matrix.Read();

        (sums.Mean is not null, sums.Middle is not null, sums.High is not null).Should().Be((true, hasMiddle, hasHigh));
    }

    [Fact]
    public void Sums_are_exact_and_a_state_without_a_source_is_absent()
    {
        Add(3, cpu: 2, blocked: 5);
        LatencySums sums = _matrix.Read();

        sums.Count.Should().Be(3);
        sums.SumOf(LatencyState.Cpu).Should().Be(6 * Millisecond);
        sums.SumOf(LatencyState.Blocked).Should().Be(15 * Millisecond);
        sums.SumOf(LatencyState.Await).Should().Be(0);
        sums.SumOf(LatencyState.Lock).Should().BeNull();
        sums.Mean![LatencyState.Lock].Should().BeNull();

        Add(1, cpu: 0, blocked: 10_000_000);
        _matrix.Read().SumOf(LatencyState.Blocked).Should().Be(10_000_015 * Millisecond, "the last band has no end");
    }

    [Fact]
    public void A_state_that_was_an_estimate_in_a_run_is_an_estimate()
    {
        LatencyBreakdown run = new(
            new LatencyTimes { PoolQueue = 1, Await = 1 },
            LatencyStates.PoolQueue | LatencyStates.Await | LatencyStates.GarbageCollection,
            LatencyStates.PoolQueue | LatencyStates.GarbageCollection);
        _matrix.Add(run);

        foreach (LatencyShares shares in (LatencyShares[])[_matrix.Read().Since(new LatencyMatrix().Read()).Mean!, LatencyShares.FromRun(run)])
        {
            (shares.IsEstimated(LatencyState.PoolQueue), shares.IsEstimated(LatencyState.Await)).Should().Be((true, false));
            shares.IsEstimated(LatencyState.GarbageCollection).Should().BeFalse("it is 0");
            (shares[LatencyState.PoolQueue], shares[LatencyState.Cpu], shares.Wall).Should().Be((1, null, 2));
        }
    }

    [Fact]
    public void The_difference_of_two_readings_has_the_runs_between_them()
    {
        Add(5, cpu: 1, blocked: 0);
        LatencySums before = _matrix.Read();
        Add(10, cpu: 3, blocked: 1);
        LatencySums since = _matrix.Read().Since(before);

        since.Count.Should().Be(10);
        StatesOf(since.Mean!).Should().Be((3, 1));
        before.Since(null).Should().BeSameAs(before);
    }

    [Fact]
    public void A_sentence_names_the_largest_state_unless_it_is_shorter_than_a_millisecond()
    {
        _matrix.Add(new(new LatencyTimes { Cpu = 100_000, Blocked = 999_000 }, LatencyStates.Cpu | LatencyStates.Blocked, 0));
        PageTables.SentenceOf(_matrix.Read()).Should().BeEmpty();

        Add(1, cpu: 1, blocked: 9);
        PageTables.SentenceOf(_matrix.Read()).Should().StartWith("On average, it blocks its thread");
    }

    private static (double Cpu, double Blocked) StatesOf(LatencyShares shares) =>
        (Math.Round(shares[LatencyState.Cpu]!.Value / Millisecond, 6), Math.Round(shares[LatencyState.Blocked]!.Value / Millisecond, 6));

    private void Add(int count, long cpu, long blocked)
    {
        LatencyBreakdown run = new(
            new LatencyTimes { Cpu = cpu * Millisecond, Blocked = blocked * Millisecond },
            LatencyStates.Cpu | LatencyStates.Blocked | LatencyStates.Await,
            estimated: default);
        for (int i = 0; i < count; i++)
        {
            _matrix.Add(run);
        }
    }
}
