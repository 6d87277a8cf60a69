using System.Text.Encodings.Web;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Compares the outputs of a complete reading with approved files. The names of JSON properties, metrics and labels are contracts:
/// a difference in a name breaks the programs and dashboards of users.</summary>
public class ContractTests
{
    private const string Switch = "PICOLLO_APPROVE";

    private static readonly string[] MeasuredPrefixes = ["process_", "picollo_process_", "dotnet_"];

    private static readonly JsonSerializerOptions Indented =
        new() { WriteIndented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, NewLine = "\n" };

    [Fact]
    public void Json_has_the_approved_properties_and_values()
    {
        using CompleteReading complete = new();
        using JsonDocument json = JsonDocument.Parse(
            JsonSerializer.Serialize(PageJson.From(complete.Read()), PageJsonContext.Default.PageJson));

        ShouldBeApproved(JsonSerializer.Serialize(json.RootElement, Indented) + "\n", "reading.json");
    }

    [Fact]
    public void The_tables_of_the_page_are_the_approved_ones()
    {
        using CompleteReading complete = new();
        PageReading reading = complete.Read();
        string chosen = reading.Routes[0].Row.Id;

        ShouldBeApproved(
            $"<!-- since the start -->\n{TablesOf(reading, chosen)}\n<!-- the last minute -->\n{TablesOf(complete.ReadMinute(), "")}"
            + $"\n<!-- waits -->\n{PageTables.Waits(reading.Waits!)}",
            "tables.html");
    }

    [Fact]
    public void The_exposition_has_the_approved_families_and_labels()
    {
        using CompleteReading complete = new(hasRuntime: true);

        // The histogram of pauses appears with the first collection.
        string[] lines = [.. complete.WriteMetrics().Split('\n')
            .Where(line => !line.Contains("dotnet_gc_pause_duration_seconds", StringComparison.Ordinal))];
        ShouldBeApproved(string.Concat(lines.Select(NameAndValue).Distinct().Select(line => line + "\n")), "metrics.txt");
        Sum("process_cpu_seconds_total ").Should().BeApproximately(Sum("picollo_process_cpu_seconds_total{"), 1e-6);

        double Sum(string start) => lines.Where(line => line.StartsWith(start, StringComparison.Ordinal))
            .Sum(line => double.Parse(line[(line.LastIndexOf(' ') + 1)..], CultureInfo.InvariantCulture));
    }

    // The first line describes the process and the machine.
    private static string TablesOf(PageReading reading, string chosen) => PageTables.Create(reading, chosen).Split('\n', 2)[1];

    // Without the bounds of buckets, and without the values of this process and of its runtime, which differ in each run.
    private static string NameAndValue(string line)
    {
        int bound = line.StartsWith('#') ? -1 : line.IndexOf("le=\"", StringComparison.Ordinal);
        return bound >= 0 ? line[..bound] + "le"
            : MeasuredPrefixes.Any(prefix => line.StartsWith(prefix, StringComparison.Ordinal)) ? line[..line.LastIndexOf(' ')]
            : line;
    }

    private static void ShouldBeApproved(string output, string file)
    {
        string path = Path.Combine(Repository.Root, "tests/Picollo.AspNetCore.Tests/Page/Golden", file);
        if (Environment.GetEnvironmentVariable(Switch) == "1")
        {
            File.WriteAllText(path, output);
        }

        output.Should().Be(File.ReadAllText(path), $"{Switch}=1 with this test writes {path}");
    }
}
