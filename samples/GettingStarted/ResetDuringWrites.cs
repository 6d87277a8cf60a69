using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>
/// Resets a counter repeatedly while another thread increments it, and detects counts that reappear after a reset. It tests an array element, and
/// a histogram, whose <see cref="HdrHistogram.Reset"/> does not write to counters and therefore cannot lose a race.
/// </summary>
public static class ResetDuringWrites
{
    private const ulong Value = 42;

    /// <summary>The number of records that the writer makes between a reset and the read of the count.</summary>
    private const ulong RecordsBetween = 1_000;

    /// <summary>Runs both tests, each for the duration, and prints the results.</summary>
    public static void Run(TimeSpan durationOfEach)
    {
        ulong[] counters = new ulong[Value + 1];
        using CancellationTokenSource bareEnds = new(durationOfEach);
        Outcome bare = Watch(
            record: () => counters[Value]++,
            reset: () => Volatile.Write(ref counters[Value], 0),
            read: () => Volatile.Read(ref counters[Value]),
            stop: bareEnds.Token);

        var histogram = HdrHistogram.Create();
        using CancellationTokenSource picolloEnds = new(durationOfEach);
        Outcome picollo = Watch(
            record: () => histogram.Record(Value),
            reset: histogram.Reset,
            read: () => histogram.TotalCount,
            stop: picolloEnds.Token);

        Console.WriteLine("Resets during writes, and the number of times that the old count reappeared:");
        Console.WriteLine($"  an array element, set to 0    {bare}");
        Console.WriteLine($"  HdrHistogram.Reset()          {picollo}");
    }

    /// <summary>
    /// Resets the count while a writer records, and checks the count after each reset. The writer publishes a number for each record before it
    /// makes the record. When the number is n, the records up to n - 1 are complete. If a reset starts then, and the count is read before the
    /// number is m, the count contains at most the records n to m.
    /// </summary>
    /// <param name="record">Increments the count; called by the writer.</param>
    /// <param name="reset">Sets the count to 0.</param>
    /// <param name="read">Reads the count.</param>
    /// <param name="stop">A token that ends the test.</param>
    /// <returns>The number of resets, and of counts that reappeared.</returns>
    public static Outcome Watch(Action record, Action reset, Func<ulong> read, CancellationToken stop)
    {
        ulong number = 0;
        Task writer = Task.Factory.StartNew(
            () =>
            {
                for (ulong n = 1; !stop.IsCancellationRequested; n++)
                {
                    Volatile.Write(ref number, n);
                    Volatile.WriteBarrier(); // the number must be visible before the record
                    record();
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

        (ulong resets, ulong bad, ulong largest) = (0, 0, 0);
        do
        {
            ulong before = Volatile.Read(ref number);
            reset();
            SpinUntil(() => Volatile.Read(ref number) >= before + RecordsBetween, stop);
            ulong count = read();
            ulong possible = Volatile.Read(ref number) - before + 1;
            resets++;
            if (count > possible)
            {
                bad++;
                largest = Math.Max(largest, count);
            }
        }
        while (!stop.IsCancellationRequested);

        writer.Wait(CancellationToken.None);
        return new Outcome(resets, bad, largest);
    }

    private static void SpinUntil(Func<bool> condition, CancellationToken stop)
    {
        SpinWait spinner = default;
        while (!condition() && !stop.IsCancellationRequested)
        {
            spinner.SpinOnce(sleep1Threshold: -1);
        }
    }

    /// <summary>The result of a test.</summary>
    /// <param name="Resets">The number of resets.</param>
    /// <param name="Bad">The number of resets after which the old count reappeared.</param>
    /// <param name="Largest">The largest count that reappeared.</param>
    public sealed record Outcome(ulong Resets, ulong Bad, ulong Largest)
    {
        public override string ToString() => $"{Bad,9:N0} of {Resets,9:N0}" + (Bad > 0 ? $", up to {Largest:N0}" : string.Empty);
    }
}
