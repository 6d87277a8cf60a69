using System.Numerics;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Measuring;

/// <summary>The times in all states of the runs of a row, by the duration of the run: a table with a line for each band of durations. It
/// divides not only the mean into states, but also the runs around a percentile, which histograms of each state could not: percentiles do
/// not add up. Thread-safe.</summary>
/// <remarks>Each band is √2 times as long as the one before. The table takes 4.4 KB. A reader that runs at the same time can see a part
/// of a run, but nothing that it reads ever decreases.</remarks>
internal sealed class LatencyMatrix
{
    /// <summary>The columns: the number of runs, then the states.</summary>
    internal const int Columns = 1 + StateCount;

    /// <summary>The number of bands: the first ends at 16 µs, the last one starts at 37 minutes.</summary>
    internal const int Bands = 56;

    private const int StateCount = (int)LatencyState.Await + 1;
    private const int FirstEnd = 14; // 2^14 ns
    private const double Sqrt2 = 1.4142135623730951;

    private readonly long[] _sums = new long[Bands * Columns];
    private int _present;
    private int _estimated;

    public void Add(in LatencyBreakdown run)
    {
        Span<long> line = _sums.AsSpan(BandOf(run.WallNanoseconds) * Columns, Columns);
        int present = 0, estimated = 0;
        foreach (LatencyState state in LatencyStateValues.All)
        {
            long? time = run.GetNanoseconds(state);
            present |= time is null ? 0 : 1 << (int)state;
            if (time is > 0 and var nanoseconds)
            {
                Interlocked.Add(ref line[1 + (int)state], nanoseconds);
                estimated |= run.IsEstimated(state) ? 1 << (int)state : 0;
            }
        }

        Interlocked.Increment(ref line[0]);
        Include(ref _present, present);
        Include(ref _estimated, estimated);
    }

    public LatencySums Read()
    {
        long[] sums = new long[_sums.Length];
        for (int i = 0; i < sums.Length; i++)
        {
            sums[i] = Interlocked.Read(ref _sums[i]);
        }

        return new LatencySums(sums, Volatile.Read(ref _present), Volatile.Read(ref _estimated));
    }

    internal static int BandOf(long nanoseconds)
    {
        int octave = 63 - BitOperations.LeadingZeroCount((ulong)Math.Max(nanoseconds, 1));
        int half = nanoseconds >= Math.ScaleB(Sqrt2, octave) ? 1 : 0;
        return Math.Clamp((2 * (octave - FirstEnd)) + half + 1, 0, Bands - 1);
    }

    // Almost always nothing changes, and then nothing is written.
    private static void Include(ref int all, int bits)
    {
        if ((Volatile.Read(ref all) & bits) != bits)
        {
            Interlocked.Or(ref all, bits);
        }
    }
}

/// <summary>The content of a <see cref="LatencyMatrix"/> at a moment, or the difference of two. Immutable.</summary>
internal sealed class LatencySums(long[] sums, int present, int estimated)
{
    // Fewer runs would show the states of single runs as if they were typical.
    private const double LeastRuns = 2;

    // The runs "around the median".
    private const double MiddleFrom = 0.4, MiddleTo = 0.6;
    private const double HighFrom = 0.99;

    public long Count { get; } = CountOf(sums);

    /// <summary>The mean of all runs; null without runs.</summary>
    public LatencyShares? Mean => field ??= Between(0, 1);

    /// <summary>The mean of the runs with durations between the 40th and the 60th percentile; null for fewer than 10 runs.</summary>
    public LatencyShares? Middle => field ??= Between(MiddleFrom, MiddleTo);

    /// <summary>The mean of the runs above the 99th percentile; null for fewer than 200 runs.</summary>
    public LatencyShares? High => field ??= Between(HighFrom, 1);

    /// <summary>Returns the sum of a state over all runs, in nanoseconds; null if the state has no source.</summary>
    public long? SumOf(LatencyState state)
    {
        if ((present >> (int)state & 1) == 0)
        {
            return null;
        }

        long sum = 0;
        for (int i = 1 + (int)state; i < sums.Length; i += LatencyMatrix.Columns)
        {
            sum += sums[i];
        }

        return sum;
    }

    public LatencySums Since(LatencySums? before)
    {
        if (before is null)
        {
            return this;
        }

        long[] since = new long[sums.Length];
        for (int i = 0; i < since.Length; i++)
        {
            since[i] = sums[i] - before[i];
        }

        return new LatencySums(since, present, estimated);
    }

    private long this[int i] => sums[i];

    /// <summary>Returns the mean of the runs between two ranks, 0 to 1. A band that contains a rank counts with the part of its runs that
    /// is inside, as if all its runs were alike: their durations differ by at most √2.</summary>
    private LatencyShares? Between(double from, double to)
    {
        double low = from * Count, high = to * Count, below = 0, count = 0;
        if (high - low < (from > 0 ? LeastRuns : 1))
        {
            return null;
        }

        double[] means = new double[LatencyMatrix.Columns - 1];
        for (int band = 0; band < LatencyMatrix.Bands; band++)
        {
            ReadOnlySpan<long> line = sums.AsSpan(band * LatencyMatrix.Columns, LatencyMatrix.Columns);
            double inside = Math.Min(high, below + line[0]) - Math.Max(low, below);
            below += line[0];
            if (inside > 0)
            {
                count += inside;
                for (int state = 0; state < means.Length; state++)
                {
                    means[state] += line[1 + state] * (inside / line[0]);
                }
            }
        }

        return new LatencyShares([.. means.Select((sum, state) => (present >> state & 1) != 0 ? sum / count : (double?)null)], estimated);
    }

    private static long CountOf(long[] sums)
    {
        long count = 0;
        for (int i = 0; i < sums.Length; i += LatencyMatrix.Columns)
        {
            count += sums[i];
        }

        return count;
    }
}

/// <summary>The mean time in each state.</summary>
internal sealed class LatencyShares(double?[] nanoseconds, int estimated)
{
    public static LatencyShares FromRun(in LatencyBreakdown run)
    {
        double?[] nanoseconds = new double?[LatencyStateValues.All.Length];
        int estimated = 0;
        foreach (LatencyState state in LatencyStateValues.All)
        {
            nanoseconds[(int)state] = run.GetNanoseconds(state);
            estimated |= run.IsEstimated(state) ? 1 << (int)state : 0;
        }

        return new LatencyShares(nanoseconds, estimated);
    }

    /// <summary>The time in nanoseconds; null if the state has no source.</summary>
    public double? this[LatencyState state] => nanoseconds[(int)state];

    public bool IsEstimated(LatencyState state) => (estimated >> (int)state & 1) != 0 && this[state] > 0;

    /// <summary>The duration in nanoseconds: the sum of the states.</summary>
    public double Wall => LatencyStateValues.Disjoint.Sum(state => this[state] ?? 0);
}
