namespace Picollo.Benchmarks.Comparison;

/// <summary>Warms contenders up and times them in turns, so that whatever slows the machine slows them alike.</summary>
internal static class Interleaver
{
    // The runtime counts calls only once no new method was compiled for 100 ms, promotes after 30 calls, compiles in the
    // background, and takes two promotions (instrumented, optimised) and up to three for code that was precompiled.
    private const int CallsPerWarmUpRound = 40;
    private const int WarmUpRounds = 6;
    private static readonly TimeSpan PauseForCompiler = TimeSpan.FromMilliseconds(250);

    /// <summary>Contenders of the same seed are always met in the same orders.</summary>
    private const int OrderSeed = 42;

    public static Dictionary<Contender, Figures> Measure(IReadOnlyList<Contender> contenders, int repetitions)
    {
        foreach (Contender contender in contenders)
        {
            contender.Verify();
        }

        WarmUp(contenders);

        // A new order each round: no contender always follows the one that leaves the cache cold.
        Random random = new(OrderSeed);
        int[] order = [.. Enumerable.Range(0, contenders.Count)];
        double[][] samples = [.. contenders.Select(_ => new double[repetitions])];
        for (int repetition = 0; repetition < repetitions; repetition++)
        {
            Progress.Show("Round", repetition, repetitions);
            random.Shuffle(order);
            foreach (int i in order)
            {
                samples[i][repetition] = contenders[i].Measure();
            }
        }

        Progress.Clear();
        return contenders.Zip(samples).ToDictionary(one => one.First, one => Figures.Of(one.Second));
    }

    private static void WarmUp(IReadOnlyList<Contender> contenders)
    {
        for (int round = 0; round < WarmUpRounds; round++)
        {
            Progress.Show("Warm-up round", round, WarmUpRounds);
            for (int call = 0; call < CallsPerWarmUpRound; call++)
            {
                foreach (Contender contender in contenders)
                {
                    contender.Run(contender.WarmUpOperations);
                }
            }

            Thread.Sleep(PauseForCompiler);
        }
    }
}
