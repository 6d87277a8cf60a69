using System.Text.Json;
using System.Text.Json.Serialization;
using Picollo.Cpu;

namespace Picollo.Cli.Top;

/// <summary>Writes samples as JSON Lines (docs/schemas/picollo-top.schema.json). Unknown values are null.</summary>
internal static class TopJson
{
    private const long NanosecondsPerMillisecond = 1_000_000;

    /// <summary>Writes notes about unavailable data, and then one line for each sample.</summary>
    public static int Run(Terminal terminal, TopModel model, TopSettings settings)
    {
        TopList processes = new();
        TopList threads = new();
        return TopBatch.Repeat(
            model,
            settings,
            reason => terminal.Out.WriteLine(ToolJson.Note(reason)),
            () =>
            {
                processes.Select(model.Sample.Processes, settings, row => row.Name);
                threads.Select(model.Sample.Threads, settings, row => row.Name);
                terminal.Out.WriteLine(LineOf(model, settings, processes.Rows, threads.Rows));
                terminal.Out.Flush();
            });
    }

    internal static string LineOf(TopModel model, TopSettings settings, List<TopRow> processes, List<TopRow> threads)
    {
        TopSample sample = model.Sample;
        TopSampleLine line = new(
            "sample", sample.Time.UtcDateTime, sample.Interval.ToNanoseconds(), (long?)sample.Uptime?.TotalSeconds, sample.Users,
            sample.LoadAverage?.OneMinute, sample.LoadAverage?.FiveMinutes, sample.LoadAverage?.FifteenMinutes,
            StatesOf(sample.Total),
            sample.Cpus.Select(StatesOf),
            sample.Memory is { } memory
                ? new(
                    memory.TotalBytes, memory.FreeBytes, memory.AvailableBytes, memory.CacheBytes, memory.SwapTotalBytes,
                    memory.SwapFreeBytes)
                : null,
            sample.Cgroup is { Now: var now } cgroup
                ? new(
                    now.Path, now.Limit, now.Share, cgroup.Periods, cgroup.ThrottledPeriods, cgroup.ThrottledTime?.ToNanoseconds(),
                    now.ThrottledTime?.ToNanoseconds())
                : null,
            sample.Pressure is { } some
                ? new(some.Average10Seconds, some.Average60Seconds, some.Average300Seconds, some.Total.ToNanoseconds())
                : null,
            sample.HasAutogroups,
            processes.Select(row => ProcessOf(row, model, settings)),
            settings.ShowThreads ? threads.Select(ThreadOf) : null);
        return ToolJson.Line(line, TopJsonContext.Default.TopSampleLine);
    }

    private static TopStatesJson StatesOf(CpuStates cpu) => new(
        cpu.Cpu, cpu.User, cpu.System, cpu.Nice, cpu.Idle, cpu.IOWait, cpu.HardIrq, cpu.SoftIrq, cpu.Steal, cpu.Guest, cpu.GuestNice);

    private static TopProcessJson ProcessOf(TopRow row, TopModel model, TopSettings settings)
    {
        ProcessCpu process = row.Process;
        return new(
            process.Id, process.UserId, process.UserId is null ? null : row.User, process.VirtualBytes, process.ResidentBytes,
            process.SharedBytes, process.ThreadCount, row.Name, row.State, row.Priority, row.Nice, row.Share, row.WaitShare,
            row.Usage.UserNanoseconds, row.Usage.KernelNanoseconds, process.LastCpu,
            model.History.GetShares(process.Id) is { } session
                ? new(
                    (long)session.Seen.TotalMilliseconds * NanosecondsPerMillisecond, session.P50, session.P90, session.P99, session.Max)
                : null,
            settings.ShowCommandLine
                ? JsonSerializer.SerializeToElement(model.Sample.CommandLineOf(process.Id), TopJsonContext.Default.StringArray)
                : null);
    }

    private static TopThreadJson ThreadOf(TopRow row) => new(
        row.Id, row.Process.Id, row.Name, row.State, row.Priority, row.Nice, row.Share, row.WaitShare, row.Usage.UserNanoseconds,
        row.Usage.KernelNanoseconds, row.Thread?.LastCpu);
}

internal sealed record TopSampleLine(
    string Kind, DateTime TimeUtc, long IntervalNanoseconds, long? UptimeSeconds, int? UserCount,
    double? LoadAverage1Minute, double? LoadAverage5Minutes, double? LoadAverage15Minutes,
    TopStatesJson Cpu, IEnumerable<TopStatesJson> Cpus, TopMemoryJson? Memory, TopCgroupJson? Cgroup, TopPressureJson? Pressure,
    bool? HasAutogroups, IEnumerable<TopProcessJson> Processes,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] IEnumerable<TopThreadJson>? Threads);

/// <summary>The states of a CPU, or of all CPUs without a number.</summary>
internal sealed record TopStatesJson(
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] int? Cpu,
    double? UserShare, double? SystemShare, double? NiceShare, double? IdleShare, double? IOWaitShare, double? HardIrqShare,
    double? SoftIrqShare, double? StealShare, double? GuestShare, double? GuestNiceShare);

internal sealed record TopMemoryJson(
    long TotalBytes, long FreeBytes, long? AvailableBytes, long CacheBytes, long SwapTotalBytes, long SwapFreeBytes);

internal sealed record TopCgroupJson(
    string Path, double? LimitCpus, double? CpuShare, long? Periods, long? ThrottledPeriods, long? ThrottledNanoseconds,
    long? TotalThrottledNanoseconds);

internal sealed record TopPressureJson(
    double Some10SecondsShare, double Some60SecondsShare, double Some300SecondsShare, long SomeTotalNanoseconds);

/// <param name="CommandLine">An array, or JSON's null if it is unknown; null if it is not shown.</param>
internal sealed record TopProcessJson(
    int ProcessId, uint? UserId, string? User, long? VirtualBytes, long? ResidentBytes, long? SharedBytes, int? ThreadCount,
    string Name, char? State, int? Priority, int? Nice, double? CpuShare, double? WaitShare, long UserNanoseconds, long KernelNanoseconds,
    int? LastCpu, TopSessionJson? Session,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] JsonElement? CommandLine);

internal sealed record TopSessionJson(long SeenNanoseconds, double P50CpuShare, double P90CpuShare, double P99CpuShare, double MaxCpuShare);

internal sealed record TopThreadJson(
    long ThreadId, int ProcessId,
    string Name, char? State, int? Priority, int? Nice, double? CpuShare, double? WaitShare, long UserNanoseconds, long KernelNanoseconds,
    int? LastCpu);

[JsonSourceGenerationOptions(
    GenerationMode = JsonSourceGenerationMode.Serialization, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(TopSampleLine))]
[JsonSerializable(typeof(string[]))]
internal sealed partial class TopJsonContext : JsonSerializerContext;
