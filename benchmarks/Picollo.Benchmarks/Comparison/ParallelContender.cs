namespace Picollo.Benchmarks.Comparison;

/// <summary>
/// Runs the loop of another contender on two threads at the same time. The result is the mean time of an operation on each
/// thread.
/// </summary>
internal sealed class ParallelContender : Contender
{
    private const int Threads = 2;

    /// <summary>The minimum share of the longer thread's time during which both threads ran. Repetitions with a smaller share are repeated.</summary>
    private const double MinOverlap = 0.9;
    private const int MaxRetries = 20;

    private readonly Contender _inner;
    private readonly SemaphoreSlim _started = new(0);
    private readonly SemaphoreSlim _done = new(0);
    private int _operations;
    private int _arrived;
    private (long Start, long End) _theirs;

    public ParallelContender(Contender inner)
        : base($"{inner.Name}, {Threads} threads", inner.Operations)
    {
        _inner = inner;
        WarmUpOperations = inner.WarmUpOperations;
        new Thread(RunPartner) { IsBackground = true, Name = "Second writer" }.Start();
    }

    public override void Run(int operations) => RunBoth(operations);

    // On a busy machine, the two threads can run alternately on one processor, without contention. Such a run is used only
    // if there is no better one.
    public override double Measure()
    {
        (double Nanoseconds, double Overlap) best = RunBoth(Operations);
        for (int retry = 0; retry < MaxRetries && best.Overlap < MinOverlap; retry++)
        {
            (double Nanoseconds, double Overlap) next = RunBoth(Operations);
            best = next.Overlap > best.Overlap ? next : best;
        }

        return best.Nanoseconds;
    }

    private (double Nanoseconds, double Overlap) RunBoth(int operations)
    {
        (_operations, _arrived) = (operations, 0);
        _started.Release();
        (long Start, long End) mine = Time(operations);
        _done.Wait();
        (long mineLength, long theirLength) = (mine.End - mine.Start, _theirs.End - _theirs.Start);
        double overlap = Math.Min(mine.End, _theirs.End) - Math.Max(mine.Start, _theirs.Start);
        double nanoseconds = (mineLength + theirLength) / (double)Threads * (1e9 / Stopwatch.Frequency) / operations;
        return (nanoseconds, overlap / Math.Max(mineLength, theirLength));
    }

    // The second thread. It lives as long as the process, like a thread of a server.
    private void RunPartner()
    {
        while (true)
        {
            _started.Wait();
            _theirs = Time(_operations);
            _done.Release();
        }
    }

    private (long Start, long End) Time(int operations)
    {
        _inner.Run(WarmUpOperations);

        // Both threads continue at nearly the same time.
        Interlocked.Increment(ref _arrived);
        SpinWait spinner = default;
        while (Volatile.Read(ref _arrived) < Threads)
        {
            spinner.SpinOnce(sleep1Threshold: -1);
        }

        long start = Stopwatch.GetTimestamp();
        _inner.Run(operations);
        return (start, Stopwatch.GetTimestamp());
    }
}
