using System.Text.Json;

namespace Picollo.Cli.Tests.Jitter;

/// <summary>Measurements that leave only 5 % of the CPU time to other processes if real time is permitted.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed class JitterOverloadTests
{
    [FactNeeding(Need.Linux)]
    public void A_measurement_ends_even_if_the_interval_keeps_all_CPUs_busy()
    {
        ToolRun run = PicolloTool.Run("jitter", "--json", "-i", "1us", "-D", "1");

        run.ExitCode.Should().Be(0);
        JsonElement summary = JitterJsonTests.Lines(run.Output).Single(line => line.GetProperty("kind").GetString() == "summary"); // notes may follow
        summary.GetProperty("count").GetInt64().Should().BePositive();
    }
}
