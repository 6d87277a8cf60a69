using Picollo.Cpu;

namespace Picollo.AspNetCore.Measuring;

/// <summary>A measured run that has not ended.</summary>
internal abstract class Run
{
    // These fields belong to RunList.
    internal Run? Next;
    internal Run? Previous;
    internal int Stripe;
    internal CpuUsageAsyncWatcher? Watcher;
    internal long Counted;
    internal Budgets Reported;

    /// <summary>Describes the run at the time of the call. Any thread may call it while the run is in the list.</summary>
    /// <returns>The run without its times; null if it is not shown. In that case, its CPU time is counted when it ends, unless it is
    /// excluded.</returns>
    public abstract RunReading? Describe();
}

/// <summary>The budgets of a request. Exceeding each is logged once.</summary>
[Flags]
internal enum Budgets : byte
{
    Cpu = 1,
    Latency = 2,
}

/// <summary>A run that has not ended, and its times so far.</summary>
/// <param name="Row">The row in which its CPU time is currently counted.</param>
/// <param name="IsLongLived">Whether the run lasts until its client disconnects.</param>
/// <param name="Path">The path of a request; null if it is not shown.</param>
internal readonly record struct RunReading(Row Row, bool IsLongLived = false, string? Path = null)
{
    public long CpuNanoseconds { get; init; }

    public TimeSpan Age { get; init; }

    // The run has no watcher after its end. Both are null until the list sets them.
    internal Run? Run { get; init; }

    internal CpuUsageAsyncWatcher? Watcher { get; init; }
}

/// <summary>All runs that have not ended. Thread-safe.</summary>
/// <remarks>The list consists of several linked lists, each with a lock. A thread adds to the list that its ID selects, so that threads
/// rarely wait for each other. Adding and removing a run takes two locks in total and allocates nothing.</remarks>
internal sealed class RunList
{
    private const int StripeCount = 16; // a power of two

    private readonly Stripe[] _stripes = [.. Enumerable.Range(0, StripeCount).Select(_ => new Stripe())];

    public void Add(Run run, CpuUsageAsyncWatcher watcher)
    {
        int number = Environment.CurrentManagedThreadId & (StripeCount - 1);
        Stripe stripe = _stripes[number];
        (run.Stripe, run.Watcher, run.Counted, run.Reported, run.Previous) = (number, watcher, 0, default, null);
        lock (stripe.Gate)
        {
            run.Next = stripe.First;
            if (run.Next is { } next)
            {
                next.Previous = run;
            }

            stripe.First = run;
        }
    }

    /// <returns>The CPU time of the run, in nanoseconds, that <see cref="Read"/> has counted, and the budgets for which
    /// <see cref="TryMarkReported"/> was called.</returns>
    public (long Counted, Budgets Reported) Remove(Run run)
    {
        Stripe stripe = _stripes[run.Stripe];
        lock (stripe.Gate)
        {
            if (run.Previous is { } previous)
            {
                previous.Next = run.Next;
            }
            else
            {
                stripe.First = run.Next;
            }

            if (run.Next is { } next)
            {
                next.Previous = run.Previous;
            }

            (run.Watcher, run.Next, run.Previous) = (null, null, null);
            return (run.Counted, run.Reported);
        }
    }

    /// <summary>Reads the CPU time of all runs so far, and adds it to their rows.</summary>
    /// <remarks>The watchers are read without a lock. A run that ends in the meantime is skipped, because it has added its whole CPU time
    /// itself.</remarks>
    public IReadOnlyList<RunReading> Read()
    {
        List<RunReading> all = [];
        foreach (Stripe stripe in _stripes)
        {
            lock (stripe.Gate)
            {
                for (Run? run = stripe.First; run is not null; run = run.Next)
                {
                    if (run.Describe() is { } reading)
                    {
                        all.Add(reading with { Run = run, Watcher = run.Watcher });
                    }
                }
            }
        }

        all = all.ConvertAll(
            static run => run with { CpuNanoseconds = run.Watcher!.GetTotalNanoseconds(), Age = run.Watcher.WallTime });
        all.RemoveAll(run => !TryCount(run));
        return all;
    }

    /// <returns><see langword="false"/> if the run is already marked or has ended; otherwise, <see langword="true"/>.</returns>
    public bool TryMarkReported(in RunReading reading, Budgets budget)
    {
        Run run = reading.Run!;
        lock (_stripes[run.Stripe].Gate)
        {
            bool isFirst = run.Watcher == reading.Watcher && (run.Reported & budget) == 0;
            run.Reported |= isFirst ? budget : 0;
            return isFirst;
        }
    }

    private bool TryCount(in RunReading reading)
    {
        Run run = reading.Run!;
        lock (_stripes[run.Stripe].Gate)
        {
            if (run.Watcher != reading.Watcher)
            {
                return false;
            }

            if (reading.CpuNanoseconds > run.Counted)
            {
                reading.Row.CountRunning(reading.CpuNanoseconds - run.Counted);
                run.Counted = reading.CpuNanoseconds;
            }

            return true;
        }
    }

    private sealed class Stripe
    {
        public readonly Lock Gate = new();
        public Run? First;
    }
}
