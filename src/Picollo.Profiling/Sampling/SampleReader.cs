using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.Profiling.Sampling;

/// <summary>Reads the records of all rings in the order of their times, and adds the samples to the trees of their processes, on a thread
/// of its own. What it has read can be used after <see cref="Dispose"/>.</summary>
internal sealed class SampleReader : IDisposable
{
    // The longest stack of 127 addresses takes about this many bytes. A ring is read before it is a quarter full of such samples.
    private const int BytesPerSample = 1100;
    private const int RingBytes = 64 * 4096;
    private const int LongestPauseMilliseconds = 250;

    /// <summary>A record may be written a little later than its time: those that are younger are read the next time.</summary>
    private const ulong WriteDelayNanoseconds = 1_000_000;

    /// <summary>Nodes of all processes: 30 MB.</summary>
    private const int MostNodes = 500_000;

    /// <summary>A build may start thousands, each with a list of its code. Those beyond are counted and not sampled.</summary>
    private const int MostProcesses = 1000;

    private readonly SamplingEvents _events;
    private readonly int _processId;
    private readonly bool _followsChildren;
    private readonly int _longestStack;
    private readonly Dictionary<int, SampledProcess> _current = [];
    private readonly List<SampledProcess> _processes = [];
    private readonly Dictionary<(int Thread, int Ring), ulong> _eventOfLateThread = [];
    private readonly ManualResetEventSlim _stopping = new();
    private readonly Thread _thread;
    private long _sampleCount;

    /// <param name="events">Whose rings it reads.</param>
    /// <param name="process">The process that is sampled.</param>
    /// <param name="followsChildren">Whether the processes that it starts belong to the profile.</param>
    /// <param name="frequency">Samples for each second of CPU time.</param>
    /// <param name="longestStack">Number of addresses that the kernel records at most.</param>
    public SampleReader(SamplingEvents events, SampledProcess process, bool followsChildren, int frequency, int longestStack)
    {
        (_events, _processId, _followsChildren, _longestStack) = (events, process.Id, followsChildren, longestStack);
        _current[process.Id] = process;
        _processes.Add(process);
        int pause = Math.Clamp(1000 * (RingBytes / 4) / (BytesPerSample * frequency), 1, LongestPauseMilliseconds);
        _thread = new Thread(() => Run(pause)) { Name = "Picollo profiler", IsBackground = true };
        _thread.UnsafeStart();
    }

    /// <summary>The sampled processes, in the order in which they appeared.</summary>
    public IReadOnlyList<SampledProcess> Processes => _processes;

    public long LostCount { get; private set; }

    /// <summary>The CPU time of the process when the rings were last read while it ran.</summary>
    public CpuUsage Usage { get; private set; }

    /// <summary>Number of samples so far; any thread may read it.</summary>
    public long SampleCount => Volatile.Read(ref _sampleCount);

    /// <summary>Number of processes that are not in the profile because there were too many.</summary>
    public int SkippedProcessCount { get; private set; }

    public static SampledProcess NewProcess(int id, string name) => new(id, name, new NodeBudget(MostNodes));

    /// <summary>Reads the rest, and ends the thread. The events must have been closed.</summary>
    public void Dispose()
    {
        _stopping.Set();
        _thread.Join();
        _stopping.Dispose();
    }

    private void Run(int pauseMilliseconds)
    {
        while (!_stopping.Wait(pauseMilliseconds))
        {
            Read(until: NowNanoseconds() - WriteDelayNanoseconds);
        }

        Read(until: ulong.MaxValue);
    }

    // On Linux a time stamp is CLOCK_MONOTONIC in nanoseconds.
    private static ulong NowNanoseconds() => (ulong)Stopwatch.GetTimestamp();

    private void Read(ulong until)
    {
        Usage = CpuUsageReader.TryGetByProcess(_processId, out CpuUsage usage, out _) ? usage : Usage;
        while (true)
        {
            int oldest = -1;
            ulong oldestTime = until;
            for (int i = 0; i < _events.Rings.Count; i++)
            {
                if (_events.Rings[i].TryPeek(out PerfRecord record) && record.Time < oldestTime)
                {
                    (oldest, oldestTime) = (i, record.Time);
                }
            }

            if (oldest < 0)
            {
                return;
            }

            _ = _events.Rings[oldest].TryPeek(out PerfRecord next);
            Handle(next, oldest);
            _events.Rings[oldest].Remove(next);
        }
    }

    internal void Handle(in PerfRecord record, int ring)
    {
        switch (record.Type)
        {
            case PerfRecordType.Lost:
                LostCount += (long)record.LostCount;
                break;
            case PerfRecordType.Fork when _followsChildren && record.ProcessId != record.ParentProcessId:
                if (_current.TryGetValue(record.ParentProcessId, out SampledProcess? parent))
                {
                    Begin(parent.Fork(record.ProcessId));
                }

                break;
            case PerfRecordType.Comm when record.IsExec && _current.TryGetValue(record.ProcessId, out SampledProcess? old):
                Begin(old.Exec(record.Name));
                break;
            case PerfRecordType.Comm when record.ProcessId == record.ThreadId
                && _current.TryGetValue(record.ProcessId, out SampledProcess? renamed):
                renamed.Name = record.Name;
                break;
            case PerfRecordType.Exit when record.ProcessId == record.ThreadId && record.ProcessId != _processId:
                End(record.ProcessId);
                break;
            case PerfRecordType.Mmap2 when _current.TryGetValue(record.ProcessId, out SampledProcess? mapping):
                mapping.Add(record.Mapping);
                break;
            case PerfRecordType.Sample when _current.TryGetValue(record.ProcessId, out SampledProcess? sampled)
                && IsCounted(record, ring):
                ReadOnlySpan<ulong> chain = record.CallChain;
                if (sampled.Samples.TryAdd(chain, isTruncated: chain.Length >= _longestStack))
                {
                    Volatile.Write(ref _sampleCount, _sampleCount + 1);
                }
                else
                {
                    LostCount++;
                }

                break;
        }
    }

    private void Begin(SampledProcess process)
    {
        if (_processes.Count < MostProcesses)
        {
            _processes.Add(process);
            _current[process.Id] = process;
        }
        else
        {
            _current.Remove(process.Id);
            SkippedProcessCount++;
        }
    }

    /// <summary>Its ID may be another process's later; without samples it need not be kept.</summary>
    private void End(int processId)
    {
        if (_current.Remove(processId, out SampledProcess? ended) && ended.Samples.SampleCount == 0)
        {
            _processes.Remove(ended);
        }
    }

    /// <summary>A thread that has two events of a CPU is counted by the first of them.</summary>
    private bool IsCounted(in PerfRecord sample, int ring)
    {
        if (!_events.LateThreads.Contains(sample.ThreadId))
        {
            return true;
        }

        if (_eventOfLateThread.TryAdd((sample.ThreadId, ring), sample.EventId))
        {
            return true;
        }

        return _eventOfLateThread[(sample.ThreadId, ring)] == sample.EventId;
    }
}
