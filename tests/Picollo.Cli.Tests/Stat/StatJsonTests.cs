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
        lines.Take(4).Select(line => line.GetProperty("run").GetInt32()).Should().Equal(1, 2, 1, 2);
        lines[2].GetProperty("command").GetString().Should().Be("b\e");
        lines[2].GetProperty("signal").GetInt32().Should().Be(9);
        lines[2].GetProperty("maxResidentBytes").ValueKind.Should().Be(JsonValueKind.Null);
        lines[0].GetProperty("counters")[4].GetRawText().Should().Be("{\"name\":\"instructions\",\"unit\":\"count\",\"value\":7200000001,\"runningShare\":1}");
        lines[0].GetProperty("threads")[1].GetProperty("cpuNanoseconds").GetInt64().Should().Be(299_999_999);
        lines[7].GetProperty("failedRuns").GetInt32().Should().Be(1);
        lines[5].GetProperty("lengthNanoseconds").GetInt64().Should().Be(500_000_000);
        lines[8].GetProperty("measures").EnumerateArray().Single(measure => measure.GetProperty("name").GetString() == "elapsedNanoseconds")
            .GetProperty("effectSize").ValueKind.Should().Be(JsonValueKind.Null, "the runs of each command are equal");
        lines[11].GetProperty("text").GetString().Should().Be("so it is");
        writer.ToString().Should().NotContain("\e", "piped output may be shown on a terminal");
    }

    [Fact]
    public void A_run_contains_each_quantity_under_its_name()
    {
        StringWriter writer = new() { NewLine = "\n" };
        CommandRun run = StatTextTests.Run(1);
        new StatJson(writer, StatTextTests.Options("a")).Add(0, run);

        JsonElement line = Lines(writer.ToString()).Single();
        CommandQuantity.All.Select(quantity => (quantity.Name, line.GetProperty(quantity.Name).GetInt64()))
            .Should().Equal(CommandQuantity.All.Select(quantity => (quantity.Name, quantity.Of(run)!.Value)));
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

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Runs_and_comparisons_conform_to_the_schema()
    {
        ToolRun run = PicolloTool.Run("stat", "--json", "-r", "2", "--compare", "sleep 0.02", "sleep 0.1");

        Schema.ProblemsOf(run.Output).Should().BeEmpty();
        JsonElement[] lines = Lines(run.Output);
        lines.Select(KindOf).Where(kind => kind != "note").Should().Equal("run", "run", "run", "run", "summary", "summary", "comparison");
        lines.Take(4).Select(line => line.GetProperty("commandIndex").GetInt32()).Should().Equal(0, 1, 0, 1);
        string[] missing = [.. lines[0].GetProperty("notCounted").EnumerateArray().Select(name => name.GetString()!)];
        lines.Where(line => KindOf(line) == "note").Select(line => line.GetProperty("text").GetString()!)
            .Where(text => text.StartsWith("not counted: ", StringComparison.Ordinal)).SelectMany(text => text.Split(": ")[1].Split(", "))
            .Should().BeEquivalentTo(missing, "each missing counter is reported once");
        lines.Take(4).Select(line => line.GetProperty("command").GetString()).Should().Equal("sleep 0.02", "sleep 0.1", "sleep 0.02", "sleep 0.1");
        JsonElement elapsed = lines[6].GetProperty("measures").EnumerateArray().Single(measure => measure.GetProperty("name").GetString() == "elapsedNanoseconds");
        elapsed.GetProperty("effectSize").GetDouble().Should().BeGreaterThan(0.8);
        elapsed.GetProperty("meanAfter").GetDouble().Should().BeGreaterThan(0.1e9);
    }

    private static string KindOf(JsonElement line) => line.GetProperty("kind").GetString()!;

    private static JsonElement[] Lines(string output) => [.. output.TrimEnd('\n').Split('\n').Select(line => JsonDocument.Parse(line).RootElement)];
}
