using System.Diagnostics;

namespace Picollo.Samples;

/// <summary>
/// Shows why it is difficult to clear a counter while another thread increments it. The main thread multiplies a number by slightly more than
/// 1. A second thread, the cleaner, alternately sets the number to +1 and -1, and reads it back. The multiplication is a load and a store. If
/// the cleaner's store happens between them, it is lost, and the old number reappears. <see cref="ResetDuringWrites"/> shows the same effect
/// with counters.
/// </summary>
public static class StaleStore
{
    private const double Factor = 1.0001;
    private const int IterationsPerRound = 1_000_000;

    private static readonly TimeSpan DotInterval = TimeSpan.FromSeconds(1);

    private static double _value;

    public static void Run(int seconds = 2) => Run(TimeSpan.FromSeconds(seconds));

    public static void Run(TimeSpan duration)
    {
        Console.Write($"Running for {duration.TotalSeconds} seconds");
        using CancellationTokenSource stop = new(duration);
        using ManualResetEventSlim isReady = new();
        Task<Outcome> cleaner = Task.Factory.StartNew(
            () =>
            {
                isReady.Set();
                return Clean(stop.Token);
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        isReady.Wait(CancellationToken.None);
        Multiply(stop.Token);

        Outcome outcome = cleaner.Result;
        Console.WriteLine();
        Console.WriteLine($"Iterations: {outcome.Iterations:N0}");
        Console.WriteLine($"Bad signs: {outcome.BadSigns:N0}");
        Console.WriteLine($"Max bad seen: {FormatNumber(outcome.MaxBadSeen)}");
        Console.WriteLine();
        ResetDuringWrites.Run(duration / 2);
    }

    /// <summary>Formats a number with two decimals. If the cleaner waits for a CPU, the number can grow to hundreds of digits, of which only four
    /// are printed.</summary>
    public static string FormatNumber(double number)
    {
        const double LargestInFull = 1e15;
        return number < LargestInFull ? $"{number:N2}" : $"{number:G4}";
    }

    private static void Multiply(CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            for (int i = 0; i < IterationsPerRound; i++)
            {
                Volatile.Write(ref _value, Volatile.Read(ref _value) * Factor); // the load and the store are not atomic together
            }
        }
    }

    // Prints a dot for each second, including a second that ends with the last round.
    private static Outcome Clean(CancellationToken stop)
    {
        (long iterations, long badSigns, double maxBadSeen) = (0, 0, 0);
        double expectedSign = 1;
        long lastDot = Stopwatch.GetTimestamp();
        do
        {
            for (int i = 0; i < IterationsPerRound; i++)
            {
                expectedSign = -expectedSign;
                Volatile.Write(ref _value, expectedSign);
                double seen = Volatile.Read(ref _value);
                if (seen * expectedSign < 0)
                {
                    badSigns++;
                    maxBadSeen = Math.Max(maxBadSeen, Math.Abs(seen));
                }
            }

            iterations += IterationsPerRound;
            if (Stopwatch.GetElapsedTime(lastDot) >= DotInterval)
            {
                Console.Write(".");
                lastDot = Stopwatch.GetTimestamp();
            }
        }
        while (!stop.IsCancellationRequested);

        return new(iterations, badSigns, maxBadSeen);
    }

    private readonly record struct Outcome(long Iterations, long BadSigns, double MaxBadSeen);
}
