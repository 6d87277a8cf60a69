using Picollo.Samples.WordCounting;

namespace Picollo.Samples.Tests;

[Collection(ConsoleOutput.Collection)]
public sealed class ProfilerTests
{
    [FactNeeding(Need.PerfEvents)]
    public async Task The_table_and_the_page_have_the_method_that_counts()
    {
        string page = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        try
        {
            (string output, _) = await ConsoleOutput.OfAsync(() => Program.Main([page, "0.5"]));

            output.Should().Contain(" distinct words\n").And.Contain("Picollo.Samples.WordCounting.WordCount.CountAsync").And.EndWith($"Open {page} in a browser.\n");
            File.ReadAllText(page).Should().Contain("WordCount.CountAsync");
        }
        finally
        {
            File.Delete(page);
        }
    }
}
