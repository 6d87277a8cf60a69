using Picollo.Metrics;

namespace Picollo.Diagnostics;

/// <summary>The wake-up latency of one CPU, as far as it is measured.</summary>
/// <remarks>May be read by any thread at any time, and after the meter's end. What is measured comes in every 50 ms or so.</remarks>
public sealed class CpuJitter
{
    // As the HdrHistogram family's three digits; 39 hours, beyond which there is a count alone.
    private const double RelativeError = 0.0005;
    private const ulong MaxLatency = 1UL << 47;

    private readonly Lock _gate = new();
    private UInt128 _sum;
    private long _count;
    private long _lost;
    private ulong _min = ulong.MaxValue;
    private ulong _max;
    private ulong _last;

    internal CpuJitter(int cpu, long threadId) => (Cpu, ThreadId) = (cpu, threadId);

    /// <summary>The CPU's number.</summary>
    public int Cpu { get; }

    /// <summary>The system's ID of the thread that measures it.</summary>
    public long ThreadId { get; }

    /// <summary>The latencies in nanoseconds, within 0.05 %, up to 39 hours. Written by the meter while it runs, to be read
    /// only; its <see cref="HdrHistogram.Dispose"/> does nothing.</summary>
    public HdrHistogram Histogram { get; } =
        HdrHistogram.Owned(HdrHistogram.Factory.WithRelativeError(RelativeError).WithMaxTrackableValue(MaxLatency).Create());

    /// <summary>Number of wake-ups that were measured and lost until now, because this process got no CPU in time to take them in. They are
    /// not in <see cref="Histogram"/>; 0 or more, and 0 in most measurements. Reading takes a lock for microseconds and allocates
    /// nothing.</summary>
    public long Lost
    {
        get
        {
            lock (_gate)
            {
                return _lost;
            }
        }
    }

    /// <summary>What is measured by now: exact, not by buckets, and of one moment. A lock, held for microseconds; allocates
    /// nothing.</summary>
    /// <returns>Zeros before the first wake-up was taken in.</returns>
    internal CpuJitterStatus GetStatus()
    {
        lock (_gate)
        {
            return _count == 0
                ? new CpuJitterStatus(0, _lost, 0, 0, 0, 0)
                : new CpuJitterStatus(_count, _lost, _min, (double)_sum / _count, _max, _last);
        }
    }

    internal void Add(ReadOnlySpan<ulong> latencies)
    {
        lock (_gate)
        {
            Histogram.Record(latencies);
            foreach (ulong latency in latencies)
            {
                _sum += latency;
                _min = Math.Min(_min, latency);
                _max = Math.Max(_max, latency);
            }

            _count += latencies.Length;
            _last = latencies[^1];
        }
    }

    internal void AddLost(ulong count)
    {
        if (count > 0)
        {
            lock (_gate)
            {
                _lost += (long)count;
            }
        }
    }
}

/// <summary>How far a <see cref="CpuJitter"/> is. Nanoseconds, exact; zeros before the first wake-up.</summary>
/// <param name="Count">How many wake-ups were measured.</param>
/// <param name="Lost"><see cref="CpuJitter.Lost"/>; not part of the others.</param>
/// <param name="MinNanoseconds">The shortest latency.</param>
/// <param name="MeanNanoseconds">The mean of the latencies.</param>
/// <param name="MaxNanoseconds">The longest latency.</param>
/// <param name="LastNanoseconds">The latest latency.</param>
internal readonly record struct CpuJitterStatus(
    long Count, long Lost, ulong MinNanoseconds, double MeanNanoseconds, ulong MaxNanoseconds, ulong LastNanoseconds);
