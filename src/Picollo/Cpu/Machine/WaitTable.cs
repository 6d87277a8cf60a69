namespace Picollo.Cpu;

/// <summary>How long a thread was runnable and did not run, over its life.</summary>
/// <param name="ThreadId">The system's.</param>
/// <param name="Nanoseconds">The waits that are over.</param>
/// <param name="Runs">How often it got a CPU. Less than before: the id is another thread's by now.</param>
internal readonly record struct ThreadWait(long ThreadId, long Nanoseconds, long Runs);

/// <summary>The waits of the threads of a sample, in the order in which they were read: those of a process are in a row.</summary>
internal sealed class WaitTable
{
    private readonly Dictionary<long, int> _indexes = [];
    private readonly SampleList<ThreadWait> _waits = new();

    public int Count => _waits.Count;

    public void Clear()
    {
        _indexes.Clear();
        _waits.Clear();
    }

    /// <summary>Adds a thread, unless it is there: see <see cref="TaskTable.Add"/>.</summary>
    public void Add(in ThreadWait wait)
    {
        if (_indexes.TryAdd(wait.ThreadId, _waits.Count))
        {
            _waits.Add(wait);
        }
    }

    public bool Has(long threadId) => _indexes.ContainsKey(threadId);

    /// <summary>The wait of one thread since an earlier sample: all of it for a thread that was not there; null if it is not
    /// here.</summary>
    public long? Since(WaitTable before, long threadId) =>
        _indexes.TryGetValue(threadId, out int index) ? Since(before, _waits.AsSpan()[index]) : null;

    /// <summary>The same of the threads of a process, added up.</summary>
    public long Since(WaitTable before, int first, int count)
    {
        long sum = 0;
        foreach (ref readonly ThreadWait wait in _waits.AsSpan().Slice(first, count))
        {
            sum += Math.Min(Since(before, wait), long.MaxValue - sum);
        }

        return sum;
    }

    private static long Since(WaitTable before, in ThreadWait wait)
    {
        if (!before._indexes.TryGetValue(wait.ThreadId, out int index))
        {
            return wait.Nanoseconds;
        }

        ref readonly ThreadWait earlier = ref before._waits.AsSpan()[index];
        return earlier.Runs <= wait.Runs && earlier.Nanoseconds <= wait.Nanoseconds
            ? wait.Nanoseconds - earlier.Nanoseconds
            : wait.Nanoseconds;
    }
}
