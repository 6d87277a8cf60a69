using System.Buffers.Binary;
using System.Globalization;
using Picollo.Diagnostics;

namespace Picollo.Benchmarks.Jitter;

/// <summary>The meters to compare. Each measures all CPUs for the same number of wake-ups, with the same interval and real-time priority, and
/// returns a histogram in nanoseconds.</summary>
internal static class JitterContenders
{
    public const int Loops = 3_000;
    public const int IntervalMicroseconds = 1_000;
    public const int Priority = 80;

    private const double RelativeError = 0.0005;
    private const int NanosecondsPerMicrosecond = 1_000;

    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(30);

    public static Dictionary<string, Func<HdrHistogram>> All { get; } = new()
    {
        ["Picollo"] = Picollo,
        ["jitterdebugger"] = Jitterdebugger,
        ["cyclictest"] = Cyclictest,
    };

    /// <summary>The features that are unavailable to Picollo on this machine.</summary>
    public static SortedSet<string> Limits { get; } = [];

    private static PlainHdrHistogram<uint> Picollo()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions
        {
            Loops = Loops,
            Interval = TimeSpan.FromMicroseconds(IntervalMicroseconds),
            Priority = Priority,
        });
        Limits.UnionWith(meter.UnavailableReasons);
        meter.Completion.Wait();
        PlainHdrHistogram<uint> all = NewHistogram();
        foreach (CpuJitter cpu in meter.Cpus)
        {
            foreach (Bucket bucket in cpu.Histogram.BucketsWithValues)
            {
                all.Record(bucket.Start + (bucket.Step / 2), bucket.Count);
            }
        }

        return all;
    }

    /// <summary>Reads the samples of jitterdebugger, because its histogram ends at 1 ms. A packed record contains the CPU (32 bits), a time (two
    /// 64-bit numbers), and the latency. With -N, latencies are in nanoseconds, but the interval is not.</summary>
    private static PlainHdrHistogram<uint> Jitterdebugger()
    {
        const int RecordBytes = 28, LatencyOffset = 20;
        string folder = Directory.CreateTempSubdirectory("picollo-jitterdebugger-").FullName;
        try
        {
            ChildProcess.Run("jitterdebugger",
                ["-N", "-l", Text(Loops), "-i", Text(IntervalMicroseconds), "-p", Text(Priority), "-o", folder, "-s"], Deadline);
            PlainHdrHistogram<uint> all = NewHistogram();
            ReadOnlySpan<byte> samples = File.ReadAllBytes(Path.Combine(folder, "samples.raw"));
            for (; samples.Length >= RecordBytes; samples = samples[RecordBytes..])
            {
                all.Record(BinaryPrimitives.ReadUInt64LittleEndian(samples[LatencyOffset..]));
            }

            return all;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>Reads the histogram of cyclictest. Its values are truncated to microseconds, so they are recorded at the middle of the microsecond.
    /// Values above its end are only counted.</summary>
    private static PlainHdrHistogram<uint> Cyclictest()
    {
        const int EndMicroseconds = 50_000;
        string output = ChildProcess.Run("cyclictest",
            ["-q", "-m", "-a", "-t", "-p", Text(Priority), "-i", Text(IntervalMicroseconds), "-l", Text(Loops), "-h", Text(EndMicroseconds)], Deadline);
        PlainHdrHistogram<uint> all = NewHistogram();
        foreach (string line in output.Split('\n').Where(line => line is [>= '0' and <= '9', ..]))
        {
            string[] fields = line.Split((char[])[' ', '\t'], StringSplitOptions.RemoveEmptyEntries);
            ulong nanoseconds = (ulong.Parse(fields[0], CultureInfo.InvariantCulture) * NanosecondsPerMicrosecond) + (NanosecondsPerMicrosecond / 2);
            foreach (string count in fields.AsSpan(1))
            {
                all.Record(nanoseconds, ulong.Parse(count, CultureInfo.InvariantCulture));
            }
        }

        string[] overflows = output.Split('\n').Single(line => line.StartsWith("# Histogram Overflows:", StringComparison.Ordinal)).Split(' ')[3..];
        all.Record(EndMicroseconds * (ulong)NanosecondsPerMicrosecond, (ulong)overflows.Sum(count => long.Parse(count, CultureInfo.InvariantCulture)));
        return all;
    }

    private static PlainHdrHistogram<uint> NewHistogram() => HdrHistogram.Factory.WithRelativeError(RelativeError).Create();

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
