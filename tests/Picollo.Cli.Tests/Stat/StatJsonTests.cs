using System.Text.Json;
using Picollo.Cli.Stat;
using Picollo.Diagnostics;

namespace Picollo.Cli.Tests.Stat;

/// <summary>Validates the lines of artificial and real runs against docs/schemas/picollo-stat.schema.json.</summary>
public class StatJsonTests
{
    private static readonly JsonSchema Schema = JsonSchema.OfCommand("stat");

    [Fact]
    public void All_kinds_of_lines_conform_to_the_schema()
    {
        StringWriter writer = new() { NewLine = "\n" };
        StatOptions options = StatTextTests.Options("a", runs: 2) with { Commands = [MeasuredCommand.FromText("a"), MeasuredCommand.FromText("b\e")], PerThread = true };
        StatJson json = new(writer, options);
        CommandSeries[] series = [new(), new()];
        CommandRun first = StatTextTests.Run(0, threads: true);
        CommandRun second = StatTextTests.Run(1, exitCode: 137, signal: 9, unavailable: true, resident: 0);
        for (int i = 0; i < 2; i++)
        {
            series[i].Add(i == 0 ? first : second);
            json.Add(i, i == 0 ? first : second);
            json.Add(i, first);
        }

        json.Add(1_500_000_000, first.Counters);
        json.Add(2_000_000_000, []);
        json.End(new StatResult(series, IsInterrupted: true)
        {
            Notes = ["so it is"],
            Baseline = new Baseline("main", Machine.Read(), series[0]),
            Gate = new Gate(new Change(0.1, double.NaN, 0.2), Limit: 0.05),
        });

        Schema.ProblemsOf(writer.ToString()).Should().BeEmpty();
        JsonElement[] lines = Lines(writer.ToString());
        lines.Select(KindOf).Should().Equal("run", "run", "run", "run", "interval", "interval", "summary", "summary", "comparison", "comparison", "gate", "note");
        writer.ToString().ShouldBeApproved("Stat/Golden/json.txt");
        writer.ToString().Should().NotContain("\e", "piped output may be shown on a terminal");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Json_is_written_to_standard_output_and_the_output_of_the_command_is_redirected()
    {
        ToolRun run = PicolloTool.Run("stat", "--json", "--", "sh", "-c", "echo said; exit 3");

        Schema.ProblemsOf(run.Output).Should().BeEmpty();
        JsonElement line = Lines(run.Output).Should().ContainSingle(one => KindOf(one) == "run").Which;
        line.GetProperty("exitCode").GetInt32().Should().Be(3);
        line.GetProperty("command").GetString().Should().Be("sh -c 'echo said; exit 3'");
        run.Error.Should().Be("said\n");
        run.ExitCode.Should().Be(3);
    }

    private static string KindOf(JsonElement line) => line.GetProperty("kind").GetString()!;

    private static JsonElement[] Lines(string output) => [.. output.TrimEnd('\n').Split('\n').Select(line => JsonDocument.Parse(line).RootElement)];
}
