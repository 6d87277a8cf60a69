using System.Text.Json.Serialization;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Cli.Jitter;

/// <summary>Reads results that <c>picollo jitter</c> or jitterdebugger saved.</summary>
internal static class SavedResults
{
    private const ulong NanosecondsPerMicrosecond = 1000;

    /// <summary>Reads the histograms, in nanoseconds, from the interval log if it exists; otherwise, from results.json.</summary>
    public static IReadOnlyList<KeyValuePair<string, ReadOnlyHdrHistogram>> Read(string folder)
    {
        string log = Path.Combine(folder, ResultFiles.Log);
        bool isLog = File.Exists(log);
        string path = isLog ? log : Path.Combine(folder, ResultFiles.Json);
        if (folder.Length == 0)
        {
            throw CommandException.OfFile(path, new FileNotFoundException());
        }

        List<KeyValuePair<string, ReadOnlyHdrHistogram>> series = isLog ? ReadLog(path) : Read(path, SeriesOf);
        return series.Count > 0 ? series : throw new CommandException($"{path}: the file contains no results");
    }

    /// <summary>Returns the unit of results.json and of the samples, in nanoseconds; null if there is no results.json.</summary>
    public static ulong? UnitOf(string folder)
    {
        string path = Path.Combine(folder, ResultFiles.Json);
        return File.Exists(path) ? Read<ulong?>(path, file => UnitOf(file)) : null;
    }

    /// <summary>Returns a title that distinguishes plots: the host, time, interval, priority and load, if results.json contains
    /// them.</summary>
    public static string TitleOf(string folder)
    {
        string title = "Wake-up latency";
        try
        {
            ReadFile file = Read(Path.Combine(folder, ResultFiles.Json), file => file);
            title += file.Sysinfo?.Nodename is { Length: > 0 } host ? $", {host}" : "";
            if (file.Picollo is { } saved)
            {
                title += DateTime.TryParse(saved.StartTime, CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind, out DateTime start)
                    ? start.ToString("', 'yyyy-MM-dd HH:mm' UTC'", CultureInfo.InvariantCulture)
                    : "";
                title += saved.IntervalNs is { } interval ? Invariant($", every {interval / (double)NanosecondsPerMicrosecond} µs") : "";
                title += saved.Priority is { } priority ? $", SCHED_FIFO {priority}" : ", no real-time priority";
                title += saved.Limits?.Count > 0 ? " (with limits)" : "";
                title += saved.Command is { Length: > 0 } load ? $", load: {load}" : "";
            }
        }
        catch (CommandException)
        {
            // Damaged or missing results have a shorter title.
        }

        return title;
    }

    private static T Read<T>(string path, Func<ReadFile, T> select) => ToolJson.Read(
        path,
        content =>
        {
            ReplaceMeans(content);
            return select(ToolJson.Parse(content, SavedJsonContext.Default.ReadFile));
        },
        ProblemOf);

    private static string ProblemOf(string problem) => $"not a jitter results file: {problem}";

    private static List<KeyValuePair<string, ReadOnlyHdrHistogram>> ReadLog(string path)
    {
        List<(string Name, HdrHistogramMerger Merger)> cpus = [];
        try
        {
            using HdrHistogramLogReader log = CommandException.OnFile(path, () => new HdrHistogramLogReader(path));
            while (CommandException.OnFile(path, log.Read) is { } interval)
            {
                string name = interval.Tag is { } tag ? tag.Replace("cpu", "CPU ", StringComparison.Ordinal) : "all CPUs";
                if (cpus.Find(cpu => cpu.Name == name).Merger is not { } merger)
                {
                    cpus.Add((name, merger = new HdrHistogramMerger()));
                }

                merger.Add(interval.Histogram);
            }
        }
        catch (HdrHistogramFormatException e)
        {
            throw new CommandException($"{path}: line {e.Line}: {e.Problem}");
        }
        catch (OverflowException e)
        {
            throw new CommandException($"{path}: {ProblemOf(e.Message)}");
        }

        return [.. cpus.Select(cpu => new KeyValuePair<string, ReadOnlyHdrHistogram>(cpu.Name, cpu.Merger.ToHistogram()!))];
    }

    private static List<KeyValuePair<string, ReadOnlyHdrHistogram>> SeriesOf(ReadFile file)
    {
        ulong unit = UnitOf(file);
        List<KeyValuePair<string, ReadOnlyHdrHistogram>> cpus = [];
        foreach ((int index, ReadCpu? cpu) in file.Cpu ?? throw new FormatException("there are no CPUs"))
        {
            HdrHistogram histogram = HdrHistogram.Create();
            foreach ((ulong value, ulong count) in cpu?.Histogram ?? throw new FormatException("a CPU has no histogram"))
            {
                histogram.Record(checked((value * unit) + (unit / 2)), count); // the midpoint between this unit and the next
            }

            cpus.Add(new(Invariant($"CPU {cpu.Affinity ?? index}"), histogram));
        }

        return cpus;
    }

    private static ulong UnitOf(ReadFile file)
    {
        ulong unit = file.Sysinfo?.ResolutionInNs ?? NanosecondsPerMicrosecond;
        return unit is 1 or NanosecondsPerMicrosecond ? unit : throw new FormatException($"unsupported resolution of {unit} ns");
    }

    /// <summary>Replaces the mean of a CPU without wake-ups by 0. jitterdebugger writes nan or -nan, which is not JSON. A text cannot
    /// contain the name with quotation marks, which JSON escapes.</summary>
    private static void ReplaceMeans(Span<byte> json)
    {
        ReadOnlySpan<byte> name = "\"avg\":"u8;
        for (int at; (at = json.IndexOf(name)) >= 0;)
        {
            json = json[(at + name.Length)..].TrimStart(" \t\r\n"u8);
            int length = json.StartsWith("-nan"u8) ? 4 : json.StartsWith("nan"u8) ? 3 : 0;
            if (length > 0)
            {
                json[..length].Fill((byte)' ');
                json[0] = (byte)'0';
            }
        }
    }
}

/// <summary>What is read of results.json. Other members may have any content. Members that jitterdebugger does not write in all versions
/// are nullable.</summary>
internal sealed record ReadFile(ReadSystem? Sysinfo, IReadOnlyDictionary<int, ReadCpu>? Cpu, ReadMeasurement? Picollo);

internal sealed record ReadSystem(string? Nodename, ulong? ResolutionInNs);

internal sealed record ReadCpu(IReadOnlyDictionary<ulong, ulong>? Histogram, int? Affinity);

internal sealed record ReadMeasurement(string? StartTime, long? IntervalNs, int? Priority, string? Command, IReadOnlyList<string>? Limits);

/// <summary>What is written to results.json.</summary>
internal sealed record SavedFile(int? Version, SavedSystem? Sysinfo, IReadOnlyDictionary<int, SavedCpu>? Cpu, SavedMeasurement? Picollo);

internal sealed record SavedSystem(
    string? Sysname, string? Nodename, string? Release, string? Version, string? Machine, int? CpusOnline, ulong? ResolutionInNs);

/// <summary>The measurements of a CPU: first in the unit of the file, and then in nanoseconds, which jitterdebugger does not
/// write.</summary>
internal sealed record SavedCpu(
    IReadOnlyDictionary<ulong, ulong>? Histogram, long? Count, ulong? Min, ulong? Max, double? Avg,
    int? Affinity, long? Lost, ulong? MinNs, ulong? MaxNs, double? AvgNs, IReadOnlyDictionary<double, ulong>? PercentilesNs);

/// <summary>The options and the course of a measurement, which jitterdebugger does not write.</summary>
internal sealed record SavedMeasurement(
    DateTime? StartTime, long ElapsedNs, long? IntervalNs, int? Priority, string? Command, bool IsInterrupted, string? Samples,
    SavedBreak? Break, IReadOnlyList<string>? Limits);

internal sealed record SavedBreak(int Cpu, long LatencyNs, bool IsMarked, bool IsTracingStopped);

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower)]
[JsonSerializable(typeof(ReadFile))]
[JsonSerializable(typeof(SavedFile))]
internal sealed partial class SavedJsonContext : JsonSerializerContext;
