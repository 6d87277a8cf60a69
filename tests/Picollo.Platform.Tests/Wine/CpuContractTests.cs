namespace Picollo.Platform.Tests.Wine;

/// <summary>
/// The contracts of Picollo.Tests/Cpu and Picollo.Diagnostics.Tests/Processes, run there by tests/HelperApp. Wine counts CPU time in steps of 10 ms and no thread's
/// cycles, so what is seen here is the reader that falls back to the system's times.
/// </summary>
[Collection(UnderWine.Name)]
public sealed class CpuContractTests(WineFixture wine)
{
    [FactNeeding(Need.Wine)]
    public void Threads_and_processes_are_read_there() => ShouldHavePassed("ReaderContractTests", atLeast: 19);

    [FactNeeding(Need.Wine)]
    public void What_Windows_does_not_count_has_a_reason_there() => ShouldHavePassed("ResourceUsageContractTests", atLeast: 3);

    [FactNeeding(Need.Wine)]
    public void The_watcher_adds_up_there() => ShouldHavePassed("WatcherContractTests", atLeast: 3);

    [FactNeeding(Need.Wine)]
    public void The_machine_is_sampled_there() => ShouldHavePassed("SystemCpuContractTests", atLeast: 8);

    [FactNeeding(Need.Wine)]
    public void No_process_is_opened_that_no_sample_found_there() => ShouldHavePassed("RunningProcessContractTests", atLeast: 1);

    private void ShouldHavePassed(string contract, int atLeast)
    {
        var lines = wine.Contracts.Where(line => line.Contains($" {contract}.", StringComparison.Ordinal)).ToList();
        lines.Should().HaveCountGreaterThanOrEqualTo(atLeast).And.OnlyContain(line => line.StartsWith("passed ", StringComparison.Ordinal));
    }
}
