namespace Picollo.Platform.Tests.Wine;

[Collection(UnderWine.Name)]
public sealed class WindowsTests(WineFixture wine)
{
    [FactNeeding(Need.Wine)]
    public void The_stopwatch_has_ticks_of_100_ns() =>
        wine.Output.Number("stopwatch-frequency").Should().Be(10_000_000);

    [FactNeeding(Need.Wine)]
    public void The_native_library_for_Windows_reads_the_cycle_counter() =>
        wine.Output["cycle-counter"].Should().Be(ThisMachine.HasInvariantCounter.ToString(), wine.Output["cycle-clock-status"]);

    [FactNeeding(Need.Wine)]
    public void The_pico_scope_distinguishes_durations_below_one_stopwatch_tick() =>
        wine.Output.Number("distinct-below-100-ns").Should().BeGreaterThan(ThisMachine.HasInvariantCounter ? 1 : -1);

    [FactNeeding(Need.Wine)]
    public void Scopes_and_histograms_work() => wine.Output.ShouldShowThatScopesAndHistogramsWork();

    [FactNeeding(Need.Wine)]
    public void A_pool_of_CPU_workers_works() => wine.Output.ShouldShowThatThePoolWorks();

    [FactNeeding(Need.Wine)]
    public void The_tables_are_the_same_on_Windows() => wine.Output.ShouldHaveTheTablesOfTheSample();
}
