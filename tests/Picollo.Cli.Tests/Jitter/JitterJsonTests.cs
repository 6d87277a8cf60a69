using System.Text.Json;
using Picollo.Cli.Jitter;

namespace Picollo.Cli.Tests.Jitter;

/// <summary>Validates the lines against docs/schemas/picollo-jitter.schema.json.</summary>
public class JitterJsonTests
{
    private static readonly JsonSchema Schema = JsonSchema.OfCommand("jitter");

    [Fact]
    public void All_kinds_of_lines_conform_to_the_schema()
    {
        string output = Written(ArtificialResults.Full, isLive: true);

        Schema.ProblemsOf(output).Should().BeEmpty();
        output.ShouldBeApproved("Jitter/Golden/json.txt");
        output.Should().NotContain("\e", "piped output may be shown on a terminal");
    }

    [Fact]
    public void Without_measurements_values_are_zeros_and_there_is_no_status()
    {
        string output = Written(ArtificialResults.Result(ArtificialResults.Cpu(0, count: 0)), isLive: false);

        Schema.ProblemsOf(output).Should().BeEmpty();
        Lines(output).Select(KindOf).Should().Equal("note", "cpu", "summary");
        Lines(output)[2].GetProperty("break").ValueKind.Should().Be(JsonValueKind.Null);
    }

    private static string Written(JitterResult result, bool isLive)
    {
        StringWriter writer = new() { NewLine = "\n" };
        JitterJson json = new(writer, isLive);
        json.Begin(result.Cpus);
        json.Add(result.Cpus, TimeSpan.FromSeconds(1));
        json.Note("so it is \e[1m");
        json.End(result);
        return writer.ToString();
    }

    internal static string KindOf(JsonElement line) => line.GetProperty("kind").GetString()!;

    internal static JsonElement[] Lines(string output) => [.. output.TrimEnd('\n').Split('\n').Select(line => JsonDocument.Parse(line).RootElement)];
}
