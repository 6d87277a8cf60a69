namespace Picollo.Samples.Tests;

/// <summary>
/// Compares programs with constant output with <c>Golden/*.txt</c>. These files are the listings of the article, with columns
/// padded to the width of their header rule. CustomPercentiles also contains the three lines that the listing omits.
/// </summary>
[Collection(ConsoleOutput.Collection)]
public sealed class GoldenTests
{
    [Fact]
    public void Programs_print_the_listings_of_the_article()
    {
        ConsoleOutput.Of(GettingStarted.Run).Should().Be(Golden("GettingStarted"));
        ConsoleOutput.Of(GettingStartedSnapshot.Run).Should().Be(Golden("GettingStarted"), "snapshots show the same without a reset");
        ConsoleOutput.Of(Percentiles.Run).Should().Be(Golden("Percentiles"));
        ConsoleOutput.Of(CustomPercentiles.Run).Should().Be(Golden("CustomPercentiles"));
    }

    private static string Golden(string name)
    {
        using Stream stream = typeof(GoldenTests).Assembly.GetManifestResourceStream(name + ".txt")!;
        using StreamReader reader = new(stream);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }
}
