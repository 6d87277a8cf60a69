namespace Picollo.Benchmarks.Comparison;

/// <summary>Warms up contenders and measures them interleaved, so that disturbances of the machine affect all of them equally.</summary>
internal static class Interleaver
{
    // The runtime counts calls only after no new method was compiled for 100 ms. It promotes a method after 30 calls, compiles it in the
    // background, and needs two promotions (instrumented, optimized), or up to three for precompiled code.
    private const int CallsPerWarmUpRound = 40;
    private const int WarmUpRounds = 6;
    private static readonly TimeSpan PauseForCompiler = TimeSpan.FromMilliseconds(250);

    /// <summary>A fixed seed, so that the orders are the same in each run.</summary>
    private const int OrderSeed = 42;

    public static Dictionary<Contender, Figures> Measure(IReadOnlyList<Contender> contenders, int repetitions)
    {
        foreach (Contender contender in contenders)
        {
            contender.Verify();
        }

        WarmUp(contenders);

        // The order changes in each round, so that a contender does not always follow another one that evicts its data from the cache.
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
