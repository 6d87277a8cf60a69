using System.Diagnostics;
using Picollo.PerfEvent;

namespace Picollo.Diagnostics;

/// <summary>Reads a command's counters again and again while it runs.</summary>
/// <param name="counters">Read by one thread at a time: this one's, until <see cref="Stop"/> has returned.</param>
/// <param name="interval">At least 1 ms.</param>
/// <param name="report">Takes each interval, one at a time.</param>
internal sealed class CommandIntervals(PerfEventCounterSession counters, TimeSpan interval, Action<CommandInterval> report) : IDisposable
{
    private readonly ManualResetEventSlim _stopped = new();
    private readonly ulong[] _before = new ulong[counters.Counters.Count];
    private long _start;
    private Task? _watch;

    /// <summary>Begins. The first interval begins with this call.</summary>
    public void Start()
    {
        _start = Stopwatch.GetTimestamp();
        _watch = Task.Factory.StartNew(Watch, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>Ends, and reports the interval that has begun. Throws what <c>report</c> has thrown.</summary>
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
            _ = watch.Exception; // observed: whoever called Stop has it
        }
    }

    private void Watch()
    {
        // By the time since the start, so that late intervals do not delay those after them.
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
            ulong value = Math.Max(counter.Value, _before[i]); // an estimate may go back
            changes[i] = new CommandCounter(counter.Name, value - _before[i], counter.RunningShare, counter.Definition.IsClock);
            _before[i] = value;
        }

        report(new CommandInterval(elapsed, changes));
    }
}

/// <summary>What a command's counters counted in an interval.</summary>
/// <param name="EndNanoseconds">The end of the interval, since the command's start.</param>
/// <param name="Counters">What they counted in the interval.</param>
internal readonly record struct CommandInterval(long EndNanoseconds, IReadOnlyList<CommandCounter> Counters);
