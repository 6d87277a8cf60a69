using Picollo.Cpu;

namespace Picollo.AspNetCore.Work;

/// <summary>A run that is measured and has not ended.</summary>
internal abstract class RunningWork
{
    // These belong to the list.
    internal RunningWork? Next;
    internal RunningWork? Previous;
    internal int Stripe;
    internal CpuUsageAsyncWatcher? Watcher;
    internal long Counted;
    internal bool IsReported;

    /// <summary>What is shown of it: of this moment, by any thread while the run is in the list.</summary>
    /// <returns>Null if it is not shown: its CPU time counts when it ends, if at all.</returns>
    public abstract RunDescription? Describe();
}

/// <summary>What is shown of a run that has not ended.</summary>
/// <param name="Row">Where its CPU time counts so far.</param>
/// <param name="IsLongLived">Whether it lasts until its client disconnects.</param>
/// <param name="Path">The path of a request; null if it is not shown.</param>
internal sealed record RunDescription(WorkUsage Row, bool IsLongLived = false, string? Path = null);

/// <summary>A run, and what it has taken so far.</summary>
internal readonly record struct RunReading(RunningWork Run, RunDescription Description, long CpuNanoseconds, TimeSpan Age)
{
    /// <summary>Its watcher, by which the list knows it from a later run of the same object.</summary>
    public required CpuUsageAsyncWatcher Watcher { get; init; }
}

/// <summary>All runs that have not ended. Thread-safe.</summary>
/// <remarks>Several linked lists, each with a lock, and a thread adds to the one of its number: threads rarely wait for each other. To add
/// and to remove take two locks and some pointers, and allocate nothing.</remarks>
internal sealed class RunningWorkList
{
    private const int StripeCount = 16; // a power of two

    private readonly Stripe[] _stripes = [.. Enumerable.Range(0, StripeCount).Select(_ => new Stripe())];

    /// <summary>Adds a run that begins.</summary>
    public void Add(RunningWork run, CpuUsageAsyncWatcher watcher)
    {
        int number = Environment.CurrentManagedThreadId & (StripeCount - 1);
        Stripe stripe = _stripes[number];
        (run.Stripe, run.Watcher, run.Counted, run.IsReported, run.Previous) = (number, watcher, 0, false, null);
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

    /// <summary>Removes a run that has ended.</summary>
    /// <returns>The CPU time in nanoseconds that <see cref="Read"/> has counted of it, and whether <see cref="TryMarkReported"/> was
    /// called for it.</returns>
    public (long Counted, bool IsReported) Remove(RunningWork run)
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
            return (run.Counted, run.IsReported);
        }
    }

    /// <summary>Reads what all runs have taken so far, and counts it in their rows.</summary>
    /// <remarks>The watchers are read without a lock. A run that ends meanwhile has counted all that it took, and is left alone.</remarks>
    public IReadOnlyList<RunReading> Read()
    {
        List<RunReading> all = [];
        foreach (Stripe stripe in _stripes)
        {
            lock (stripe.Gate)
            {
                for (RunningWork? run = stripe.First; run is not null; run = run.Next)
                {
                    if (run.Describe() is { } description)
                    {
                        all.Add(new RunReading(run, description, 0, default) { Watcher = run.Watcher! });
                    }
                }
            }
        }

        all = all.ConvertAll(static one => one with { CpuNanoseconds = one.Watcher.GetTotalNanoseconds(), Age = one.Watcher.WallTime });
        all.RemoveAll(one => !TryCount(one));
        return all;
    }

    /// <summary>Marks a run as reported.</summary>
    /// <returns>False if it was, or has ended.</returns>
    public bool TryMarkReported(in RunReading reading)
    {
        lock (_stripes[reading.Run.Stripe].Gate)
        {
            bool isFirst = reading.Run.Watcher == reading.Watcher && !reading.Run.IsReported;
            reading.Run.IsReported |= isFirst;
            return isFirst;
        }
    }

    private bool TryCount(in RunReading reading)
    {
        RunningWork run = reading.Run;
        lock (_stripes[run.Stripe].Gate)
        {
            if (run.Watcher != reading.Watcher)
            {
                return false;
            }

            if (reading.CpuNanoseconds > run.Counted)
            {
                reading.Description.Row.CountRunning(reading.CpuNanoseconds - run.Counted);
                run.Counted = reading.CpuNanoseconds;
            }

            return true;
        }
    }

    private sealed class Stripe
    {
        public readonly Lock Gate = new();
        public RunningWork? First;
    }
}
