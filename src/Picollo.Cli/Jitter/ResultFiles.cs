using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Cli.Jitter;

/// <summary>Writes the results to files: results.json in the format of jitterdebugger, and an interval log in nanoseconds.</summary>
internal static class ResultFiles
{
    public const string Json = "results.json";
    public const string Log = "jitter.hlog";

    private const int JitterdebuggerVersion = 3;
    private const uint NanosecondsPerMicrosecond = 1000;

    public static void Save(ResultFolder folder, JitterResult result)
    {
        if (!result.Options.WithSamples)
        {
            folder.Remove(SampleFile.Name); // from a previous measurement
        }

        folder.Write(Json, file => WriteJson(file, result, SystemNames.Read()));
        folder.Write(Log, file => WriteLog(file, result));
    }

    internal static void WriteJson(Stream file, JitterResult result, SystemNames names)
    {
        uint unit = result.Options.InNanoseconds ? 1U : NanosecondsPerMicrosecond;
        Dictionary<int, SavedCpu> cpus = [];
        foreach (CpuResult cpu in result.Cpus)
        {
            cpus.Add(cpus.Count, CpuOf(cpu, unit)); // scripts of jitterdebugger read members 0, 1, 2 and so on until one is missing
        }

        SavedFile saved = new(
            JitterdebuggerVersion,
            new(names.System, names.Host, names.Release, names.Version, names.Machine, names.OnlineCpus, unit),
            cpus,
            MeasurementOf(result));
        ToolJson.Write(file, saved, SavedJsonContext.Default.SavedFile, ToolJson.Readable);
        file.Write("\n"u8);
    }

    internal static void WriteLog(Stream file, JitterResult result)
    {
        using HdrHistogramLogWriter log = new(file, maxValueUnitRatio: NanosecondsPerMicrosecond, leaveOpen: true);
        log.WriteHeader(result.StartTime, "[Wake-up latencies by picollo jitter, in nanoseconds; Interval_Max in microseconds]");
        foreach (CpuResult cpu in result.Cpus)
        {
            log.WriteInterval(cpu.Histogram, result.StartTime, result.StartTime + result.Elapsed, Invariant($"cpu{cpu.Cpu}"));
        }
    }

    private static SavedCpu CpuOf(CpuResult cpu, uint unit) => new(
        Histogram(cpu, unit).ToDictionary(same => same.Value, same => same.Count),
        cpu.Status.Count,
        cpu.Status.MinNanoseconds / unit,
        cpu.Status.MaxNanoseconds / unit,
        Math.Round(cpu.Status.MeanNanoseconds / unit, 2),
        cpu.Cpu,
        cpu.Status.Lost,
        cpu.Status.MinNanoseconds,
        cpu.Status.MaxNanoseconds,
        cpu.Status.MeanNanoseconds,
        CpuResult.Ranks.Zip(cpu.GetPercentiles()).ToDictionary());

    /// <summary>Returns the counts for each whole unit.</summary>
    private static IEnumerable<(ulong Value, ulong Count)> Histogram(CpuResult cpu, ulong unit) => cpu.Histogram.BucketsWithValues
        .GroupBy(bucket => ValueOf(bucket, cpu.Status) / unit)
        .Select(same => (same.Key, same.Aggregate(0UL, (sum, bucket) => sum + bucket.Count)));

    /// <summary>Returns the midpoint of a bucket. For the first and last bucket, returns the exact minimum and maximum, because scripts
    /// read these from the ends of the histogram.</summary>
    private static ulong ValueOf(Bucket bucket, CpuJitterStatus status) =>
        Contains(bucket, status.MaxNanoseconds) ? status.MaxNanoseconds
        : Contains(bucket, status.MinNanoseconds) ? status.MinNanoseconds
        : bucket.Start + (bucket.Step / 2);

    private static bool Contains(Bucket bucket, ulong value) => value >= bucket.Start && value - bucket.Start < bucket.Step;

    private static SavedMeasurement MeasurementOf(JitterResult result) => new(
        result.StartTime.UtcDateTime,
        result.Elapsed.ToNanoseconds(),
        result.Options.Meter.Interval.ToNanoseconds(),
        result.Priority,
        result.Options.Load?.Text,
        result.IsInterrupted,
        result.Options.WithSamples ? SampleFile.Name : null,
        result.Break is { } found ? new(found.Cpu, found.LatencyNanoseconds, found.IsMarked, found.IsTracingStopped) : null,
        result.UnavailableReasons);
}
