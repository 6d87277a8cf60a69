using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Threads that record into a histogram until they are stopped. Each thread counts its started and finished records, which are the
/// bounds for the count that a reader may see.</summary>
internal sealed class Writers : IDisposable
{
    /// <summary>The largest count that is added directly to a 32-bit counter. With it, counters exceed 2³¹ thousands of times per
    /// second.</summary>
    public const ulong LargeCount = 1 << 16;

    private const int Stride = 16; // longs: two cache lines between the counts of two writers

    private static readonly ulong[] Batch = [1, 20_000, 20_000, 21_000, 22_000, 90_000, 20_000, 29_999, 20_000, 20_001];

    private readonly HdrHistogram _histogram;
    private readonly ulong[] _begun;
    private readonly ulong[] _finished;
    private readonly Thread[] _threads;
    private readonly ManualResetEventSlim _go = new();
    private volatile bool _stopped;

    /// <summary>Starts the threads. <paramref name="large"/> adds counts that carry.</summary>
    public Writers(HdrHistogram histogram, int count, bool large)
    {
        _histogram = histogram;
        _begun = new ulong[count * Stride];
        _finished = new ulong[count * Stride];
        _threads = [.. Enumerable.Range(0, count).Select(writer => new Thread(() => Run(writer, large)) { IsBackground = true })];
        Array.ForEach(_threads, thread => thread.Start());
        _go.Set();
    }

    /// <summary>The upper bound of the recorded count when this returns.</summary>
    public ulong Begun => Sum(_begun);

    /// <summary>The lower bound of the recorded count when this was called.</summary>
    public ulong Finished => Sum(_finished);

    /// <summary>Stops the threads and returns the total recorded count.</summary>
    public ulong Stop()
    {
        _stopped = true;
        Array.ForEach(_threads, thread => thread.Join());
        Begun.Should().Be(Finished);
        return Finished;
    }

    public void Dispose()
    {
        _stopped = true;
        Array.ForEach(_threads, thread => thread.Join());
        _go.Dispose();
    }

    private static ulong Sum(ulong[] books)
    {
        ulong sum = 0;
        for (int i = 0; i < books.Length; i += Stride)
        {
            sum += Volatile.Read(ref books[i]);
        }

        return sum;
    }

    private void Run(int writer, bool large)
    {
        ref ulong begun = ref _begun[writer * Stride];
        ref ulong finished = ref _finished[writer * Stride];
        Random random = new(writer);
        _go.Wait();
        while (!_stopped)
        {
            int what = random.Next(large ? 8 : 4);
            ulong count = what switch { 0 => (ulong)Batch.Length, 1 => 7, < 4 => 1, _ => LargeCount };
            Volatile.Write(ref begun, begun + count);
            Interlocked.MemoryBarrier(); // a reader that sees the record also sees the started count
            switch (what)
            {
                case 0:
                    _histogram.Record(Batch);
                    break;
                case 1:
                    _histogram.Record(90_000, count); // above the range
                    break;
                case < 4:
                    _histogram.Record((ulong)random.Next(9_000, 31_000));
                    break;
                default:
                    _histogram.Record(20_000 + (ulong)(random.Next(2) * 300), count);
                    break;
            }

            Volatile.Write(ref finished, finished + count);
        }
    }
}
