namespace Picollo.Wine.Tests;

[Collection(UnderWine.Name)]
public sealed class WindowsTests(WineFixture wine)
{
    [WineFact]
    public void The_stopwatch_ticks_in_100_ns_there() =>
        wine.Output.Number("stopwatch-frequency").Should().Be(10_000_000);

    [WineFact]
    public void The_windows_shim_serves_the_cycle_counter() =>
        wine.Output["cycle-counter"].Should().Be(Platform.HasInvariantCounter.ToString(), wine.Output["cycle-clock-status"]);

    [WineFact]
    public void The_pico_scope_tells_durations_below_one_stopwatch_tick_apart() =>
        wine.Output.Number("distinct-below-100-ns").Should().BeGreaterThan(Platform.HasInvariantCounter ? 1 : -1);

    [WineFact]
    public void Scopes_and_histograms_work() => wine.Output.ShouldShowThatScopesAndHistogramsWork();

    [WineFact]
    public void A_pool_of_CPU_workers_works() => wine.Output.ShouldShowThatThePoolWorks();

    [WineFact]
    public void The_tables_are_the_same_on_Windows() => wine.Output.ShouldHaveTheTablesOfTheSample();
}
