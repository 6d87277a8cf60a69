using System.Text.Encodings.Web;
using System.Text.Json;
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
    private const int NanosecondsPerMicrosecond = 1000;

    /// <summary>Writes both files.</summary>
    /// <exception cref="CommandException">A file cannot be written.</exception>
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
        // Indented as in jitterdebugger, and without escapes that JSON does not require.
        using Utf8JsonWriter json = new(
            file, new JsonWriterOptions { Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });
        int unit = result.Options.InNanoseconds ? 1 : NanosecondsPerMicrosecond;
        json.WriteStartObject();
        json.WriteNumber("version", JitterdebuggerVersion);
        json.WriteStartObject("sysinfo");
        json.WriteString("sysname", names.System);
        json.WriteString("nodename", names.Host);
        json.WriteString("release", names.Release);
        json.WriteString("version", names.Version);
        json.WriteString("machine", names.Machine);
        json.WriteNumber("cpus_online", names.OnlineCpus);
        json.WriteNumber("resolution_in_ns", unit);
        json.WriteEndObject();
        json.WriteStartObject("cpu");
        for (int i = 0; i < result.Cpus.Count; i++)
        {
            // Scripts of jitterdebugger read members 0, 1, 2 and so on until one is missing.
            json.WriteStartObject(Invariant($"{i}"));
            WriteCpu(json, result.Cpus[i], (ulong)unit);
            json.WriteEndObject();
        }

        json.WriteEndObject();
        WriteMeasurement(json, result);
        json.WriteEndObject();
        json.Flush();
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

    private static void WriteCpu(Utf8JsonWriter json, CpuResult cpu, ulong unit)
    {
        json.WriteStartObject("histogram");
        foreach ((ulong value, ulong count) in Histogram(cpu, unit))
        {
            json.WriteNumber(Invariant($"{value}"), count);
        }

        json.WriteEndObject();
        json.WriteNumber("count", cpu.Status.Count);
        json.WriteNumber("min", cpu.Status.MinNanoseconds / unit);
        json.WriteNumber("max", cpu.Status.MaxNanoseconds / unit);
        json.WriteNumber("avg", Math.Round(cpu.Status.MeanNanoseconds / unit, 2));

        json.WriteNumber("affinity", cpu.Cpu);
        json.WriteNumber("lost", cpu.Status.Lost);
        json.WriteNumber("min_ns", cpu.Status.MinNanoseconds);
        json.WriteNumber("max_ns", cpu.Status.MaxNanoseconds);
        json.WriteNumber("avg_ns", cpu.Status.MeanNanoseconds);
        json.WriteStartObject("percentiles_ns");
        foreach ((double rank, ulong value) in CpuResult.Ranks.Zip(cpu.GetPercentiles()))
        {
            json.WriteNumber(Invariant($"{rank}"), value);
        }

        json.WriteEndObject();
    }

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

    private static void WriteMeasurement(Utf8JsonWriter json, JitterResult result)
    {
        json.WriteStartObject("picollo");
        json.WriteString("start_time", result.StartTime.UtcDateTime);
        json.WriteNanoseconds("elapsed_ns", result.Elapsed);
        json.WriteNanoseconds("interval_ns", result.Options.Meter.Interval);
        json.WriteNumberOrNull("priority", result.Priority);
        json.WriteString("command", result.Options.Load?.Text);
        json.WriteBoolean("is_interrupted", result.IsInterrupted);
        json.WriteString("samples", result.Options.WithSamples ? SampleFile.Name : null);
        if (result.Break is { } found)
        {
            json.WriteStartObject("break");
            json.WriteNumber("cpu", found.Cpu);
            json.WriteNumber("latency_ns", found.LatencyNanoseconds);
            json.WriteBoolean("is_marked", found.IsMarked);
            json.WriteBoolean("is_tracing_stopped", found.IsTracingStopped);
            json.WriteEndObject();
        }
        else
        {
            json.WriteNull("break");
        }

        json.WriteStrings("limits", result.UnavailableReasons);
        json.WriteEndObject();
    }
}
