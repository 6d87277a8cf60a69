namespace Picollo.Platform.Tests.Wine;

[Collection(UnderWine.Name)]
[Trait("Category", "Slow")]
public sealed class WindowsTests(WineFixture wine)
{
    [FactNeeding(Need.Wine)]
    public void The_native_library_for_Windows_reads_the_cycle_counter_below_one_stopwatch_tick_of_100_ns()
    {
        wine.Output.Number("stopwatch-frequency").Should().Be(10_000_000);
        wine.Output["cycle-counter"].Should().Be(ThisMachine.HasInvariantCounter.ToString(), wine.Output["cycle-clock-status"]);
        wine.Output.Number("distinct-below-100-ns").Should().BeGreaterThan(ThisMachine.HasInvariantCounter ? 1 : -1);
    }

    [FactNeeding(Need.Wine)]
    public void Scopes_histograms_and_a_pool_work_and_the_tables_are_equal()
    {
        wine.Output.ShouldShowThatScopesAndHistogramsWork();
        wine.Output.ShouldShowThatThePoolWorks();
        wine.Output.ShouldHaveTheTablesOfTheSample();
    }
}
