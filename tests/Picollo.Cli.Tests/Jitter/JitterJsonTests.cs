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
        JsonElement[] lines = Lines(output);
        lines.Select(KindOf).Should().Equal("status", "status", "note", "cpu", "cpu", "summary");
        lines[1].GetProperty("cpu").GetInt32().Should().Be(12);
        lines[3].GetProperty("maxNanoseconds").GetInt64().Should().Be(9_123_456);
        lines[3].GetProperty("percentiles").EnumerateArray().Select(one => one.GetProperty("percentile").GetDouble()).Should().Equal(50, 90, 99, 99.9, 99.99);
        JsonElement summary = lines[5];
        summary.GetProperty("count").GetInt64().Should().Be(40_000);
        summary.GetProperty("lostCount").GetInt64().Should().Be(3);
        summary.GetProperty("affinity").GetString().Should().Be("0,12");
        summary.GetProperty("priority").ValueKind.Should().Be(JsonValueKind.Null);
        summary.GetProperty("command").GetString().Should().Be("stress-ng --cpu 0 \e[1m");
        summary.GetProperty("startTimeUtc").GetString().Should().Be("2026-11-22T01:02:03Z");
        summary.GetProperty("break").GetProperty("latencyNanoseconds").GetInt64().Should().Be(9_123_468);
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
