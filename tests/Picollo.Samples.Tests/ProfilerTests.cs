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
            TextWriter console = Console.Out;
            using StringWriter writer = new();
            Console.SetOut(writer);
            try
            {
                (await Program.Main([page, "0.5"])).Should().Be(0);
            }
            finally
            {
                Console.SetOut(console);
            }

            string output = writer.ToString().ReplaceLineEndings("\n");
            output.Should().Contain(" distinct words\n").And.Contain("Picollo.Samples.WordCounting.WordCount.CountAsync").And.EndWith($"Open {page} in a browser.\n");
            File.ReadAllText(page).Should().Contain("WordCount.CountAsync");
        }
        finally
        {
            File.Delete(page);
        }
    }
}
