using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>
/// Tests the sums of a watcher on every system, with burns that are long compared with the scheduler tick of Windows. tests/HelperApp runs
/// the same tests under Wine. Other tests cover the details on systems with a fine clock.
/// </summary>
[Collection(nameof(ReaderContractTests))]
[Trait("Category", "Slow")]
public class WatcherContractTests
{
    private static readonly TimeSpan Amount = TimeSpan.FromMilliseconds(200);

    public WatcherContractTests() => Burn.ResetExcludedTime();

    [Theory]
    [InlineData(CpuUsageDetail.UserAndKernel)]
    [InlineData(CpuUsageDetail.TotalOnly)]
    public async Task A_flow_over_several_threads_is_summed(CpuUsageDetail detail)
    {
        using var watcher = new CpuUsageAsyncWatcher(detail);
        TimeSpan burnt = Burn.User(Amount);
        await Task.Delay(1);
        burnt += Burn.User(Amount);
        TimeSpan[] children = await Task.WhenAll(Task.Run(() => Burn.User(Amount)), Task.Run(() => Burn.User(Amount)));
        burnt += children[0] + children[1];
        watcher.Stop();
        Burn.User(Amount);

        ShouldHaveSummed(watcher, burnt);
    }

    [Fact]
    public async Task Nested_watchers_sum_their_own_parts()
    {
        using var outer = new CpuUsageAsyncWatcher();
        TimeSpan outerBurnt = Burn.User(Amount);
        var inner = new CpuUsageAsyncWatcher();
        TimeSpan innerBurnt = await Task.Run(() => Burn.User(Amount));
        inner.Stop();
        outerBurnt += innerBurnt + await Task.Run(() => Burn.User(Amount));
        outer.Stop();

        ShouldHaveSummed(inner, innerBurnt);
        ShouldHaveSummed(outer, outerBurnt);
    }

    [Fact]
    public void The_time_in_the_run_queue_is_known_on_Linux_and_elsewhere_there_is_a_reason()
    {
        ThreadRunQueue? queue = CpuTimes.Current.TryOpenRunQueue(out string? reason);
        queue?.Close();

        (queue is not null).Should().Be(OperatingSystem.IsLinux());
        reason.Should().Be(OperatingSystem.IsLinux() ? null : "Only Linux reports the time that a thread waits for a CPU.");
    }

    // Allow one step for each segment; no flow here has more than four segments that burn.
    private static void ShouldHaveSummed(CpuUsageAsyncWatcher watcher, TimeSpan burnt)
    {
        Steps.ShouldBeAbout(Steps.Nanoseconds(watcher.GetTotalNanoseconds()), burnt, 2 * Steps.OfTotal);
        if (watcher.Detail == CpuUsageDetail.UserAndKernel)
        {
            Steps.ShouldBeAbout(watcher.GetSummaryCpuUsage().Total, burnt, 2 * Steps.OfSplit);
        }
    }
}
