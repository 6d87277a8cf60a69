using System.Globalization;

namespace Picollo.TestKit;

/// <summary>Runs cases with random seeds. A failure reports its seed, and PICOLLO_TEST_SEED repeats a run.</summary>
internal static class Seeded
{
    private const string Switch = "PICOLLO_TEST_SEED";

    /// <summary>The seed of the first case.</summary>
    public static int FirstSeed { get; } =
        int.TryParse(Environment.GetEnvironmentVariable(Switch), CultureInfo.InvariantCulture, out int seed)
            ? seed
            : Random.Shared.Next();

    /// <summary>Runs <paramref name="cases"/> cases, each with its own random number generator.</summary>
    public static void Run(int cases, Action<Random> test)
    {
        for (int i = 0; i < cases; i++)
        {
            Garbage.CollectIfGrown();
            int seed = unchecked(FirstSeed + i);
            try
            {
                test(new Random(seed));
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"Case {i} of {cases} failed; set {Switch}={seed} to start with it. {e.Message}", e);
            }
        }
    }
}
