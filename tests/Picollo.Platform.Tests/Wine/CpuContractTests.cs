namespace Picollo.Platform.Tests.Wine;

/// <summary>
/// Runs the contract tests of Picollo.Tests/Cpu and Picollo.Diagnostics.Tests/Commands in tests/HelperApp. Wine counts CPU time in steps of
/// 10 ms and does not count the cycles of threads, so this tests the reader that falls back to the system's times.
/// </summary>
[Collection(UnderWine.Name)]
[Trait("Category", "Slow")]
public sealed class CpuContractTests(WineFixture wine)
{
    [TheoryNeeding(Need.Wine)]
    [InlineData("ReaderContractTests", 19)]
    [InlineData("ResourceUsageContractTests", 3)]
    [InlineData("WatcherContractTests", 4)]
    [InlineData("SystemCpuContractTests", 8)]
    [InlineData("LinuxProcessContractTests", 1)]
    public void The_contract_is_fulfilled(string contract, int atLeast)
    {
        var lines = wine.Contracts.Where(line => line.Contains($" {contract}.", StringComparison.Ordinal)).ToList();
        lines.Should().HaveCountGreaterThanOrEqualTo(atLeast).And.OnlyContain(line => line.StartsWith("passed ", StringComparison.Ordinal));
    }
}
