using System.Globalization;
using System.Text.Json;
using Picollo.Export;
using Picollo.Export.Plots;
using Picollo.Metrics;

namespace Picollo.Cli.Jitter;

/// <summary>Reads results that <c>picollo jitter</c> or jitterdebugger saved.</summary>
internal static class SavedResults
{
    private const ulong NanosecondsPerMicrosecond = 1000;
    private const long MaxBytes = 256 << 20; // limit for JSON, which is read into memory

    /// <summary>Reads the histograms, in nanoseconds, from the interval log if it exists; otherwise, from results.json.</summary>
    /// <exception cref="CommandException">There are no results, or they are damaged.</exception>
    public static IReadOnlyList<HdrHistogramSeries> Read(string folder)
    {
        string path = Path.Combine(folder, ResultFiles.Log);
        path = File.Exists(path) ? path : Path.Combine(folder, ResultFiles.Json);
        return Read(path, () =>
        {
            CommandException.ThrowIfEmpty(folder);
            List<HdrHistogramSeries> series = path.EndsWith(ResultFiles.Log, StringComparison.Ordinal) ? ReadLog(path) : ReadJson(path);
            return series.Count > 0 ? series : throw new CommandException($"{path}: the file contains no results");
        });
    }

    /// <summary>Returns the unit of results.json and of the samples, in nanoseconds; null if there is no results.json.</summary>
    /// <exception cref="CommandException">The file is damaged.</exception>
    public static ulong? UnitOf(string folder)
    {
        string path = Path.Combine(folder, ResultFiles.Json);
        return !File.Exists(path) ? null : Read<ulong?>(path, () =>
        {
            using JsonDocument json = Parse(path);
            return UnitOf(json.RootElement);
        });
    }

    private static T Read<T>(string path, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (HdrHistogramFormatException e)
        {
            throw new CommandException($"{path}: line {e.Line}: {e.Problem}");
        }
        catch (Exception e) when (
            e is JsonException or InvalidOperationException or KeyNotFoundException or FormatException or OverflowException)
        {
            throw new CommandException($"{path}: not a jitter results file: {e.Message}");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw CommandException.OfFile(path, e);
        }
    }

    /// <summary>Returns a title that distinguishes plots: the host, time, interval, priority and load, if results.json contains
    /// them.</summary>
    public static string TitleOf(string folder)
    {
        string title = "Wake-up latency";
        try
        {
            using JsonDocument json = Parse(Path.Combine(folder, ResultFiles.Json));
            title += Text(json.RootElement, ", ", "sysinfo", "nodename");
            JsonElement how = json.RootElement.GetProperty("picollo");
            title += how.GetProperty("start_time").GetDateTime().ToString("', 'yyyy-MM-dd HH:mm' UTC'", CultureInfo.InvariantCulture);
            title += Invariant($", every {how.GetProperty("interval_ns").GetInt64() / (double)NanosecondsPerMicrosecond} µs");
            title += how.GetProperty("priority") is { ValueKind: JsonValueKind.Number } priority
                ? $", SCHED_FIFO {priority}"
                : ", no real-time priority";
            title += how.GetProperty("limits").EnumerateArray().Any() ? " (with limits)" : "";
            title += Text(how, ", load: ", "command");
        }
        catch (Exception e) when (
            e is IOException or UnauthorizedAccessException
                or JsonException or InvalidOperationException or KeyNotFoundException or FormatException)
        {
            // Results of jitterdebugger or damaged results are plotted with a shorter title.
        }

        return title;
    }

    private static string Text(JsonElement element, string before, params ReadOnlySpan<string> path)
    {
        foreach (string name in path)
        {
            element = element.GetProperty(name);
        }

        return element.GetString() is { Length: > 0 } text ? before + text : "";
    }

    private static List<HdrHistogramSeries> ReadLog(string path)
    {
        List<(string Name, HdrHistogramMerger Merger)> cpus = [];
        using HdrHistogramLogReader log = new(path);
        foreach (HdrHistogramLogInterval interval in log.ReadAll())
        {
            string name = interval.Tag is { } tag ? tag.Replace("cpu", "CPU ", StringComparison.Ordinal) : "all CPUs";
            if (cpus.Find(one => one.Name == name).Merger is not { } merger)
            {
                cpus.Add((name, merger = new HdrHistogramMerger()));
            }

            merger.Add(interval.Histogram);
        }

        return [.. cpus.Select(cpu => new HdrHistogramSeries(cpu.Name, cpu.Merger.ToHistogram()!))];
    }

    private static List<HdrHistogramSeries> ReadJson(string path)
    {
        using JsonDocument json = Parse(path);
        JsonElement root = json.RootElement;
        ulong unit = UnitOf(root);
        List<HdrHistogramSeries> cpus = [];
        foreach (JsonProperty cpu in root.GetProperty("cpu").EnumerateObject())
        {
            int number = cpu.Value.TryGetProperty("affinity", out JsonElement affinity)
                ? affinity.GetInt32()
                : int.Parse(cpu.Name, CultureInfo.InvariantCulture);
            HdrHistogram histogram = HdrHistogram.Create();
            foreach (JsonProperty bucket in cpu.Value.GetProperty("histogram").EnumerateObject())
            {
                // The midpoint between this unit and the next.
                histogram.Record(
                    checked((ulong.Parse(bucket.Name, NumberStyles.None, CultureInfo.InvariantCulture) * unit) + (unit / 2)),
                    bucket.Value.GetUInt64());
            }

            cpus.Add(new(Invariant($"CPU {number}"), histogram));
        }

        return cpus;
    }

    private static ulong UnitOf(JsonElement root)
    {
        ulong unit = root.TryGetProperty("sysinfo", out JsonElement system)
            && system.TryGetProperty("resolution_in_ns", out JsonElement resolution)
            ? resolution.GetUInt64()
            : NanosecondsPerMicrosecond;
        return unit is 1 or NanosecondsPerMicrosecond ? unit : throw new FormatException($"unsupported resolution of {unit} ns");
    }

    private static JsonDocument Parse(string path)
    {
        using MemoryStream content = ReadAll(path);
        ReplaceMeans(content.GetBuffer().AsSpan(0, (int)content.Length));
        return JsonDocument.Parse(content);
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

    // Reads in blocks because the length of a device is not reliable.
    private static MemoryStream ReadAll(string path)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        MemoryStream content = new();
        byte[] buffer = new byte[64 * 1024];
        int length;
        while ((length = file.Read(buffer)) > 0)
        {
            content.Write(buffer.AsSpan(0, length));
            if (content.Length > MaxBytes)
            {
                throw new FormatException("the file is too large");
            }
        }

        content.Position = 0;
        return content;
    }
}
