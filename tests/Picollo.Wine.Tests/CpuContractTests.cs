namespace Picollo.Wine.Tests;

/// <summary>
/// The contracts of Picollo.Tests/Cpu and Picollo.Diagnostics.Tests/Processes, run there by tests/CpuContract. Wine counts CPU time in steps of 10 ms and no thread's
/// cycles, so what is seen here is the reader that falls back to the system's times.
/// </summary>
[Collection(UnderWine.Name)]
public sealed class CpuContractTests(WineFixture wine)
{
    [WineFact]
    public void Threads_and_processes_are_read_there() => ShouldHavePassed("ReaderContractTests", atLeast: 19);

    [WineFact]
    public void What_Windows_does_not_count_has_a_reason_there() => ShouldHavePassed("ResourceUsageContractTests", atLeast: 3);

    [WineFact]
    public void The_watcher_adds_up_there() => ShouldHavePassed("WatcherContractTests", atLeast: 3);

    [WineFact]
    public void The_machine_is_sampled_there() => ShouldHavePassed("SystemCpuContractTests", atLeast: 8);

    [WineFact]
    public void No_process_is_opened_that_no_sample_found_there() => ShouldHavePassed("RunningProcessContractTests", atLeast: 1);

    private void ShouldHavePassed(string contract, int atLeast)
    {
        var lines = wine.CpuContract.Where(line => line.Contains($" {contract}.", StringComparison.Ordinal)).ToList();
        lines.Should().HaveCountGreaterThanOrEqualTo(atLeast).And.OnlyContain(line => line.StartsWith("passed ", StringComparison.Ordinal));
    }
}
