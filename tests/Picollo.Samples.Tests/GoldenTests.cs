namespace Picollo.Samples.Tests;

/// <summary>
/// Compares programs with constant output with <c>Golden/*.txt</c>. These files are the listings of the article, with columns
/// padded to the width of their header rule. CustomPercentiles also contains the three lines that the listing omits.
/// </summary>
[Collection(ConsoleOutput.Collection)]
public sealed class GoldenTests
{
    [Fact]
    public void GettingStarted_prints_the_tables_of_the_article() =>
        ConsoleOutput.Of(GettingStarted.Run).Should().Be(Golden("GettingStarted"));

    [Fact]
    public void Snapshots_print_the_same_tables_without_a_reset() =>
        ConsoleOutput.Of(GettingStartedSnapshot.Run).Should().Be(Golden("GettingStarted"));

    [Fact]
    public void Percentiles_prints_the_22_lines_of_the_article() =>
        ConsoleOutput.Of(Percentiles.Run).Should().Be(Golden("Percentiles"));

    [Fact]
    public void CustomPercentiles_prints_nine_percentiles_and_nine_values() =>
        ConsoleOutput.Of(CustomPercentiles.Run).Should().Be(Golden("CustomPercentiles"));

    private static string Golden(string name)
    {
        using Stream stream = typeof(GoldenTests).Assembly.GetManifestResourceStream(name + ".txt")!;
        using StreamReader reader = new(stream);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }
}
