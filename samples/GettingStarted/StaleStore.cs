using System.Diagnostics;

namespace Picollo.Samples;

/// <summary>
/// Why clearing a counter beside its writer is hard. One thread multiplies a number by a little over 1; another sets it to +1
/// and -1 in turn and reads it back. The multiplication is a load and a store: where the other's store comes between
/// them it is lost, and the old number is back. <see cref="ResetBesideWriter"/> shows the same with counters.
/// </summary>
public static class StaleStore
{
    private const double Factor = 1.0001;
    private const int CheckStopEvery = 100_000;

    private static double _value;

    public static void Run(int seconds = 2) => Run(TimeSpan.FromSeconds(seconds));

    public static void Run(TimeSpan duration)
    {
        Console.WriteLine($"Running for {duration.TotalSeconds} seconds");
        using CancellationTokenSource stop = new(duration);
        Task multiplier = Task.Factory.StartNew(
            () => Multiply(stop.Token), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

        (long iterations, long bad, double maxBad) = Flip(stop.Token);
        multiplier.Wait();

        Console.WriteLine($"Iterations: {iterations:N0}");
        Console.WriteLine($"Bad signs: {bad:N0}");
        Console.WriteLine($"Max bad seen: {maxBad:G4}");
        Console.WriteLine();
        ResetBesideWriter.Run(duration / 2);
    }

    private static void Multiply(CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            for (int i = 0; i < CheckStopEvery; i++)
            {
                Volatile.Write(ref _value, Volatile.Read(ref _value) * Factor); // not atomic together
            }
        }
    }

    private static (long Iterations, long Bad, double MaxBad) Flip(CancellationToken stop)
    {
        (long iterations, long bad, double maxBad) = (0, 0, 0);
        double sign = 1;
        do
        {
            for (int i = 0; i < CheckStopEvery; i++)
            {
                sign = -sign;
                Volatile.Write(ref _value, sign);
                double seen = Volatile.Read(ref _value);
                if (seen * sign < 0)
                {
                    bad++;
                    maxBad = Math.Max(maxBad, Math.Abs(seen));
                }
            }

            iterations += CheckStopEvery;
        }
        while (!stop.IsCancellationRequested);

        return (iterations, bad, maxBad);
    }
}
