namespace Picollo.Samples.Tokenizer;

/// <summary>The demo without its command line. It checks, measures and compares two implementations on one text.</summary>
/// <param name="corpus">The text.</param>
/// <param name="threads">The number of threads that share the text.</param>
/// <param name="rounds">The number of passes of each implementation with scopes, and without scopes.</param>
/// <param name="before">The baseline implementation.</param>
/// <param name="after">The implementation to compare with the baseline.</param>
/// <param name="output">The writer for the results.</param>
/// <param name="terminal">The writer for the progress, or <see langword="null"/> to show no progress.</param>
public sealed class Demo(
    Corpus corpus, int threads, int rounds, Implementation before, Implementation after, TextWriter output, TextWriter? terminal = null)
{
    /// <summary>Runs the demo and prints all results.</summary>
    /// <returns><see langword="true"/> if all passes of both implementations counted the same tokens; otherwise, <see langword="false"/>.</returns>
    public bool Run()
    {
        Report report = new(corpus, threads, rounds, output);
        report.PrintHead();

        TokenCounts expected = before.WarmUp(corpus.Lines, threads);
        string? difference = expected.FirstDifference(after.WarmUp(corpus.Lines, threads));
        for (int round = 0; round < rounds && difference is null; round++)
        {
            terminal?.Write($"\rRound {round + 1} of {rounds}");
            difference = RunRound(expected, timedFirst: round % 2 == 1);
        }

        terminal?.Write("\r\e[K");
        output.WriteLine();
        if (difference is not null)
        {
            output.WriteLine($"'{before.Name}' and '{after.Name}' do not agree: {difference}.");
            return false;
        }

        report.PrintCounts(expected, before, after);
        report.PrintLines(before, after);
        report.PrintThroughput(before, after);
        report.PrintCost(EmptyScope.MeasureNanoScope(), EmptyScope.MeasurePicoScope(), before, after);
        return true;
    }

    /// <summary>Runs one pass of each kind, so that temporary disturbances of the machine affect all kinds equally.</summary>
    private string? RunRound(TokenCounts expected, bool timedFirst)
    {
        foreach (Implementation implementation in new[] { before, after })
        {
            foreach (bool timed in new[] { timedFirst, !timedFirst })
            {
                TokenCounts counts = timed
                    ? implementation.RunTimed(corpus.Lines, threads)
                    : implementation.RunBare(corpus.Lines, threads);
                if (expected.FirstDifference(counts) is { } difference)
                {
                    return difference;
                }
            }
        }

        return null;
    }
}
