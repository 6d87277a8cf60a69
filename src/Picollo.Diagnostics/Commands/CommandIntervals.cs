using Picollo.PerfEvent;

namespace Picollo.Diagnostics;

/// <summary>Reads a command's counters at intervals of at least 1 ms while it runs. Until <see cref="Stop"/> returns, only this object may
/// read them. It reports one interval at a time: the end in nanoseconds since the start, and the counts.</summary>
internal sealed class CommandIntervals(
    PerfEventCounterSession counters, TimeSpan interval, Action<long, IReadOnlyList<CommandCounter>> report) : IDisposable
{
    private readonly ManualResetEventSlim _stopped = new();
    private readonly ulong[] _before = new ulong[counters.Counters.Count];
    private long _start;
    private Task? _watch;

    public void Start()
    {
        _start = Stopwatch.GetTimestamp();
        _watch = Task.Factory.StartNew(Watch, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>Stops reading, and reports the current interval. Throws the exception that the callback threw, if any.</summary>
    public void Stop()
    {
        _stopped.Set();
        _watch?.GetAwaiter().GetResult();
        Report();
    }

    public void Dispose()
    {
        _stopped.Set();
        if (_watch is { } watch)
        {
            ((IAsyncResult)watch).AsyncWaitHandle.WaitOne();
            _ = watch.Exception; // observed, because the caller of Stop receives it
        }
    }

    private void Watch()
    {
        // The times are relative to the start, so that a late interval does not delay the following ones.
        for (long next = 1; !_stopped.Wait(Positive((next * interval) - Stopwatch.GetElapsedTime(_start))); next++)
        {
            Report();
        }
    }

    private static TimeSpan Positive(TimeSpan time) => time > TimeSpan.Zero ? time : TimeSpan.Zero;

    private void Report()
    {
        counters.Read(forceSyscallRead: true);
        long elapsed = (long)Stopwatch.GetElapsedTime(_start).TotalNanoseconds;
        CommandCounter[] changes = new CommandCounter[_before.Length];
        for (int i = 0; i < changes.Length; i++)
        {
            PerfEventCounter counter = counters.Counters[i];
            ulong value = Math.Max(counter.Value, _before[i]); // an estimate can decrease
            changes[i] = new CommandCounter(counter.Name, value - _before[i], counter.RunningShare, counter.Definition.IsClock);
            _before[i] = value;
        }

        report(elapsed, changes);
    }
}
