namespace Picollo.Samples.Tokenizer;

/// <summary>The demo without its command line: two implementations over one text, checked, measured and compared.</summary>
/// <param name="corpus">The text.</param>
/// <param name="threads">How many threads share it.</param>
/// <param name="rounds">How many passes of each implementation with scopes, and how many without.</param>
/// <param name="before">The implementation to compare with.</param>
/// <param name="after">The implementation that is compared.</param>
/// <param name="output">Where the results are printed.</param>
/// <param name="terminal">Where the progress is shown; null if nobody watches.</param>
public sealed class Demo(
    Corpus corpus, int threads, int rounds, Implementation before, Implementation after, TextWriter output, TextWriter? terminal = null)
{
    /// <summary>Runs and prints everything.</summary>
    /// <returns>Whether every pass of both implementations counted the same.</returns>
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
            output.WriteLine($"'{before.Name}' and '{after.Name}' do not count the same: {difference}.");
            return false;
        }

        report.PrintCounts(expected, before, after);
        report.PrintLines(before, after);
        report.PrintThroughput(before, after);
        report.PrintCost(EmptyScope.MeasureNanoScope(), EmptyScope.MeasurePicoScope(), before, after);
        return true;
    }

    /// <summary>One pass of each kind, so that whatever disturbs the machine for a while disturbs all kinds alike.</summary>
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
