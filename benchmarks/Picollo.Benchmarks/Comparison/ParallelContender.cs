using System.Diagnostics;

namespace Picollo.Benchmarks.Comparison;

/// <summary>
/// Another contender's loop, run by two threads at the same time. Its figure is the mean of what each thread took for an
/// operation of its own.
/// </summary>
internal sealed class ParallelContender : Contender
{
    private const int Threads = 2;

    /// <summary>The share of the longer thread's time in which both ran, for a repetition to count.</summary>
    private const double MinOverlap = 0.9;
    private const int MaxRetries = 20;

    private readonly Contender _inner;
    private readonly Partner _partner = new();

    public ParallelContender(Contender inner)
        : base($"{inner.Name}, {Threads} threads", inner.Operations)
    {
        _inner = inner;
        WarmUpOperations = inner.WarmUpOperations;
    }

    public override void Run(int operations) => RunBoth(operations);

    // On a busy machine the two may have had one processor in turns and met no contention at all. Such a run does not count,
    // unless there is no better one to be had.
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
        Span theirs = default;
        _partner.Start(() => theirs = Time(operations));
        Span mine = Time(operations);
        _partner.Wait();
        double overlap = Math.Min(mine.End, theirs.End) - Math.Max(mine.Start, theirs.Start);
        double nanoseconds = (mine.Length + theirs.Length) / (double)Threads * (1e9 / Stopwatch.Frequency) / operations;
        return (nanoseconds, overlap / Math.Max(mine.Length, theirs.Length));
    }

    private Span Time(int operations)
    {
        _inner.Run(WarmUpOperations);
        _partner.Meet();
        long start = Stopwatch.GetTimestamp();
        _inner.Run(operations);
        return new Span(start, Stopwatch.GetTimestamp());
    }

    private readonly record struct Span(long Start, long End)
    {
        public long Length => End - Start;
    }

    /// <summary>The second thread. It lives as long as the process, as a server's would.</summary>
    private sealed class Partner
    {
        private readonly SemaphoreSlim _started = new(0);
        private readonly SemaphoreSlim _done = new(0);
        private Action _work = () => { };
        private int _arrived;

        public Partner() => new Thread(Loop) { IsBackground = true, Name = "Second writer" }.Start();

        public void Start(Action work)
        {
            _work = work;
            Volatile.Write(ref _arrived, 0);
            _started.Release();
        }

        public void Wait() => _done.Wait();

        /// <summary>Returns in both threads at nearly the same moment.</summary>
        public void Meet()
        {
            Interlocked.Increment(ref _arrived);
            SpinWait spinner = default;
            while (Volatile.Read(ref _arrived) < Threads)
            {
                spinner.SpinOnce(sleep1Threshold: -1);
            }
        }

        private void Loop()
        {
            while (true)
            {
                _started.Wait();
                _work();
                _done.Release();
            }
        }
    }
}
