using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>
/// Clears a counter again and again beside a thread that counts, and looks for counts that come back: a bare array's, and
/// those of a histogram, whose <see cref="HdrHistogram.Reset"/> writes to no counter and so can lose no race.
/// </summary>
public static class ResetBesideWriter
{
    private const ulong Value = 42;

    /// <summary>How many records the writer makes before the count is looked at after a reset.</summary>
    private const ulong RecordsBetween = 1_000;

    /// <summary>Runs both, each for the duration, and prints what they found.</summary>
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

        Console.WriteLine("Resets beside a live writer, and how often the old count came back:");
        Console.WriteLine($"  a bare counter, set to 0      {bare}");
        Console.WriteLine($"  HdrHistogram.Reset()          {picollo}");
    }

    /// <summary>
    /// The writer numbers each record before it makes it. When the number is n, records up to n - 1 are made; so a count
    /// taken after a reset that began then, and before the number is m, holds at most the records n to m.
    /// </summary>
    /// <param name="record">Counts once; called by the writer.</param>
    /// <param name="reset">Sets the count to 0.</param>
    /// <param name="read">Reads the count.</param>
    /// <param name="stop">Ends the watch.</param>
    public static Outcome Watch(Action record, Action reset, Func<ulong> read, CancellationToken stop)
    {
        ulong number = 0;
        Task writer = Task.Factory.StartNew(
            () =>
            {
                for (ulong n = 1; !stop.IsCancellationRequested; n++)
                {
                    Volatile.Write(ref number, n);
                    Volatile.WriteBarrier(); // the number is seen before the record is
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

    /// <summary>What was seen: resets made, resets after which the old count was back, and the largest such count.</summary>
    public sealed record Outcome(ulong Resets, ulong Bad, ulong Largest)
    {
        public override string ToString() => $"{Bad,9:N0} of {Resets,9:N0}" + (Bad > 0 ? $", up to {Largest:N0}" : string.Empty);
    }
}
