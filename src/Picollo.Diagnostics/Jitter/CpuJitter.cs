using Picollo.Metrics;

namespace Picollo.Diagnostics;

/// <summary>The wake-up latency of one CPU.</summary>
/// <remarks>All members can be read by any thread at any time, even after the meter has stopped. New values appear about every 50
/// ms.</remarks>
public sealed class CpuJitter
{
    // Equivalent to three significant digits in other HdrHistogram libraries. Values above 39 hours are only counted.
    private const double RelativeError = 0.0005;
    private const ulong MaxLatency = 1UL << 47;

    private readonly Lock _gate = new();
    private readonly HdrHistogram _histogram =
        HdrHistogram.Owned(HdrHistogram.Factory.WithRelativeError(RelativeError).WithMaxTrackableValue(MaxLatency).Create());
    private UInt128 _sum;
    private long _count;
    private long _lost;
    private ulong _min = ulong.MaxValue;
    private ulong _max;
    private ulong _last;

    internal CpuJitter(int cpu, long threadId) => (Cpu, ThreadId) = (cpu, threadId);

    /// <summary>The CPU's number.</summary>
    public int Cpu { get; }

    /// <summary>The system's ID of the measuring thread.</summary>
    public long ThreadId { get; }

    /// <summary>The latencies in nanoseconds, within 0.05 %, up to 39 hours. The meter records into it while it runs.</summary>
    public ReadOnlyHdrHistogram Histogram => _histogram;

    /// <summary>The number of measured wake-ups that were lost, because this process did not get a CPU in time to read them. They are not
    /// in <see cref="Histogram"/>. 0 in most measurements. Reading takes a lock for microseconds and does not allocate.</summary>
    public long LostCount
    {
        get
        {
            lock (_gate)
            {
                return _lost;
            }
        }
    }

    /// <summary>Returns the exact status so far, which does not depend on buckets and is consistent. Takes a lock for microseconds and does
    /// not allocate.</summary>
    /// <returns>The status; zeros before the first wake-up was read.</returns>
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
            _histogram.Record(latencies);
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

/// <summary>The exact status of a <see cref="CpuJitter"/>; zeros before the first wake-up. The other values exclude lost
/// wake-ups.</summary>
internal readonly record struct CpuJitterStatus(
    long Count, long Lost, ulong MinNanoseconds, double MeanNanoseconds, ulong MaxNanoseconds, ulong LastNanoseconds);
