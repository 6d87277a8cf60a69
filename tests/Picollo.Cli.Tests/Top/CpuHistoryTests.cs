using Picollo.Cli.Top;
using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Cli.Tests.Top;

/// <summary>CPU shares of processes over a session.</summary>
public class CpuHistoryTests
{
    private readonly CpuHistory _history = new();
    private double _seconds;

    [Fact]
    public void Shares_are_weighted_by_their_duration()
    {
        Add(0.9, 0, 1);
        Add(0.1, 0.5, 1);

        SessionShares shares = Shares(1);
        (shares.Seen, shares.P50, shares.P90).Should().Be((TimeSpan.FromSeconds(1), 0, 0));
        shares.P99.Should().BeApproximately(0.5, 0.005).And.Be(shares.Max);
        ReadOnlyHdrHistogram histogram = _history.Find(1)!;
        histogram.TotalCount.Should().Be(1000);
        (histogram.GetPercentileValue(100) / CpuHistory.StepsPerCpu).Should().BeApproximately(0.5, 0.005);
    }

    [Fact]
    public void An_idle_process_has_zeros_and_an_ended_process_is_removed()
    {
        Add(1, 0, 1, 2);
        Add(1, 0, 2);

        Shares(2).Should().Be(new SessionShares(TimeSpan.FromSeconds(2), 0, 0, 0, 0));
        _history.GetShares(1).Should().BeNull();
        _history.Find(1).Should().BeNull();
        _history.Count.Should().Be(1);
    }

    [Theory]
    [InlineData(0.1)]
    [InlineData(20)]
    public void Another_process_with_the_same_ID_starts_a_new_history(double seconds)
    {
        ProcessCpu first = ArtificialMachine.Process(1, "first", 0.9, 10);
        ProcessCpu second = ArtificialMachine.Process(1, "second", 0.1, seconds) with { StartNanoseconds = 1 };
        _history.Add([first], TimeSpan.FromSeconds(1), 2);
        _history.Add([second], TimeSpan.FromSeconds(1), 2);

        Shares(1).Seen.Should().Be(TimeSpan.FromSeconds(1));
        Shares(1).Max.Should().BeApproximately(0.1, 0.001);
    }

    [Fact]
    public void Unknown_shares_are_ignored_and_excessive_shares_are_limited()
    {
        Add(1, null, 1);
        _history.GetShares(1).Should().BeNull();

        Add(1, 1e9, 1);
        Shares(1).Max.Should().BeInRange(8, 17);
    }

    [Fact]
    public void Two_thousand_processes_use_little_memory()
    {
        int[] ids = [.. Enumerable.Range(1, 2000)];
        Add(1, 0.25, ids);

        ids.Sum(id => _history.Find(id)!.FootprintInBytes).Should().BeLessThan(2000 * 4096L);
    }

    private SessionShares Shares(int id) => _history.GetShares(id)!.Value;

    private void Add(double seconds, double? share, params int[] ids)
    {
        _seconds += (share ?? 0) * seconds;
        ProcessCpu[] processes = [.. ids.Select(id => ArtificialMachine.Process(id, "p", share, Math.Min(_seconds, 1e6)))];
        _history.Add(processes, TimeSpan.FromSeconds(seconds), 2);
    }
}
