namespace Picollo.Platform.Tests.Wine;

/// <summary>
/// Runs the contract tests of Picollo.Tests/Cpu and Picollo.Diagnostics.Tests/Commands in tests/HelperApp. Wine counts CPU time in steps of
/// 10 ms and does not count the cycles of threads, so this tests the reader that falls back to the system's times.
/// </summary>
[Collection(UnderWine.Name)]
public sealed class CpuContractTests(WineFixture wine)
{
    [FactNeeding(Need.Wine)]
    public void Threads_and_processes_are_read() => ShouldHavePassed("ReaderContractTests", atLeast: 19);

    [FactNeeding(Need.Wine)]
    public void Values_that_Windows_does_not_count_have_a_reason() => ShouldHavePassed("ResourceUsageContractTests", atLeast: 3);

    [FactNeeding(Need.Wine)]
    public void The_times_of_the_watcher_add_up() => ShouldHavePassed("WatcherContractTests", atLeast: 3);

    [FactNeeding(Need.Wine)]
    public void The_machine_is_sampled() => ShouldHavePassed("SystemCpuContractTests", atLeast: 8);

    [FactNeeding(Need.Wine)]
    public void Processes_without_a_sample_are_not_opened() => ShouldHavePassed("LinuxProcessContractTests", atLeast: 1);

    private void ShouldHavePassed(string contract, int atLeast)
    {
        var lines = wine.Contracts.Where(line => line.Contains($" {contract}.", StringComparison.Ordinal)).ToList();
        lines.Should().HaveCountGreaterThanOrEqualTo(atLeast).And.OnlyContain(line => line.StartsWith("passed ", StringComparison.Ordinal));
    }
}
