using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.Profiling.Sampling;

/// <summary>Reads the records of all rings in the order of their times, and passes them to a <see cref="SampleCollector"/>, on a
/// thread of its own. The collector can be used after <see cref="Dispose"/>.</summary>
internal sealed class SampleReader : IDisposable
{
    // The longest stack of 127 addresses takes about this many bytes. A ring is read before it is a quarter full of such samples.
    private const int BytesPerSample = 1100;
    private const int LongestPauseMilliseconds = 250;

    /// <summary>Switches are read more often, because they keep the watchers of requests alive, which the garbage collector then has to
    /// follow.</summary>
    private const int LongestPauseWithFlowsMilliseconds = 50;

    /// <summary>A record may be written a little later than its time: those that are younger are read the next time.</summary>
    private const ulong WriteDelayNanoseconds = 1_000_000;

    private readonly IReadOnlyList<SampleRing> _rings;
    private readonly int _processId;
    private readonly SampleCollector _samples;
    private readonly ManualResetEventSlim _stopping = new();
    private readonly Thread _thread;

    /// <param name="rings">What it reads.</param>
    /// <param name="samples">Where the records go.</param>
    /// <param name="frequency">Samples for each second of CPU time.</param>
    /// <param name="usage">The CPU time of the process before.</param>
    public SampleReader(IReadOnlyList<SampleRing> rings, SampleCollector samples, int frequency, CpuUsage usage)
    {
        (_rings, _samples, _processId, Usage) = (rings, samples, samples.Main.Id, usage);
        long quarter = rings.Min(ring => ring.Bytes) / 4;
        int longest = samples.Flows is null ? LongestPauseMilliseconds : LongestPauseWithFlowsMilliseconds;
        int pause = (int)Math.Clamp(1000 * quarter / (BytesPerSample * frequency), 1, longest);
        _thread = new Thread(() => Run(pause)) { Name = "Picollo profiler", IsBackground = true };
        _thread.UnsafeStart();
    }

    /// <summary>The CPU time of the process when the rings were last read while it ran.</summary>
    public CpuUsage Usage { get; private set; }

    /// <summary>Reads the rest, and ends the thread. Nothing may be written into the rings any more.</summary>
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
