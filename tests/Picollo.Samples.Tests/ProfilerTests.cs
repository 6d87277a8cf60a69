using Picollo.Samples.WordCounting;

namespace Picollo.Samples.Tests;

[Collection(ConsoleOutput.Collection)]
public sealed class ProfilerTests
{
    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Slow")]
    public void The_table_is_printed_and_the_page_contains_the_counting_method()
    {
        string page = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        try
        {
            string output = ConsoleOutput.Of(() => Program.Main([page, "0.5"]).GetAwaiter().GetResult().Should().Be(0));

            output.Should().MatchRegex("^5,000 distinct words\n.* \\(process [0-9]+\\)\n[0-9,]+ samples at 999 Hz; ").And.MatchRegex("\n +own +time +total +time +function\n")
                .And.EndWith($"Open {page} in a browser.\n");
            File.ReadAllText(page).Should().Contain("Picollo.Samples.WordCounting.WordCount.CountAsync");
        }
        finally
        {
            File.Delete(page);
        }
    }
}
