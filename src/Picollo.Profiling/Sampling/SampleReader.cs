using Picollo.Cpu;

namespace Picollo.Profiling.Sampling;

/// <summary>Reads the records of all rings in chronological order on a separate thread, and passes them to a <see cref="SampleCollector"/>.
/// The collector can be used after <see cref="Dispose"/>.</summary>
internal sealed class SampleReader : IDisposable
{
    // The approximate size of the longest stack of 127 addresses. A ring is read before such samples fill a quarter of it.
    private const int BytesPerSample = 1100;
    private const int MaxPauseMilliseconds = 250;

    /// <summary>Switches are read more often, because they keep the watchers of requests alive, which the garbage collector must
    /// trace. This does not apply while the process is idle, in which 20 reads per second took 0.2 % of a processor.</summary>
    private const int MaxPauseWithFlowsMilliseconds = 50;

    /// <summary>The process is idle if it used less CPU time than this between two reads.</summary>
    private static readonly TimeSpan Idle = TimeSpan.FromMilliseconds(1);

    /// <summary>A record may be written slightly later than its time, so younger records are left for the next read.</summary>
    private const ulong WriteDelayNanoseconds = 1_000_000;

    private readonly IReadOnlyList<SampleRing> _rings;
    private readonly int _processId;
    private readonly SampleCollector _samples;
    private readonly ManualResetEventSlim _stopping = new();
    private readonly Thread _thread;

    /// <summary>The frequency is in samples per second of CPU time. The usage is that of the process before the start.</summary>
    public SampleReader(IReadOnlyList<SampleRing> rings, SampleCollector samples, int frequency, CpuUsage usage)
    {
        (_rings, _samples, _processId, Usage) = (rings, samples, samples.Main.Id, usage);
        long quarter = rings.Min(ring => ring.Bytes) / 4;
        int longest = (int)Math.Clamp(1000 * quarter / (BytesPerSample * frequency), 1, MaxPauseMilliseconds);
        int pause = samples.Flows is null ? longest : Math.Min(longest, MaxPauseWithFlowsMilliseconds);
        _thread = new Thread(() => Run(pause, longest)) { Name = "Picollo profiler", IsBackground = true };
        _thread.UnsafeStart();
    }

    /// <summary>The CPU time of the process at the last read while it ran.</summary>
    public CpuUsage Usage { get; private set; }

    /// <summary>Reads the remaining records and ends the thread. The rings must not be written to any more.</summary>
    public void Dispose()
    {
        _stopping.Set();
        _thread.Join();
        _stopping.Dispose();
    }

    private void Run(int pauseMilliseconds, int idlePauseMilliseconds)
    {
        CpuUsage before;
        do
        {
            before = Usage;
            Read(until: NowNanoseconds() - WriteDelayNanoseconds);
        }
        while (!_stopping.Wait(Usage.Total - before.Total < Idle ? idlePauseMilliseconds : pauseMilliseconds));

        Read(until: ulong.MaxValue);
    }

    // On Linux, Stopwatch uses CLOCK_MONOTONIC in nanoseconds.
    private static ulong NowNanoseconds() => (ulong)Stopwatch.GetTimestamp();

    private void Read(ulong until)
    {
        Usage = CpuUsageReader.TryGetByProcess(_processId, out CpuUsage usage, out _) ? usage : Usage;
        _samples.Flows?.Begin();
        ReadRings(until);
        _samples.Flows?.End(until);
    }

    private void ReadRings(ulong until)
    {
        while (true)
        {
            int oldest = -1;
            ulong oldestTime = until;
            for (int i = 0; i < _rings.Count; i++)
            {
                if (_rings[i].TryPeek(out PerfRecord record) && record.Time < oldestTime)
                {
                    (oldest, oldestTime) = (i, record.Time);
                }
            }

            if (oldest < 0)
            {
                return;
            }

            _ = _rings[oldest].TryPeek(out PerfRecord next);
            _samples.Handle(next, oldest);
            _rings[oldest].Remove(next);
        }
    }
}
