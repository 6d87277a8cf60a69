using System.Text.Json.Serialization;
using Picollo.Diagnostics;

namespace Picollo.Cli.Jitter;

/// <summary>Writes JSON Lines (docs/schemas/picollo-jitter.schema.json): with -v, an object per CPU every second; at the end, an object per
/// CPU and one for all CPUs.</summary>
internal sealed class JitterJson(TextWriter writer, bool isLive) : JitterReport
{
    public override void Add(IReadOnlyList<CpuResult> cpus, TimeSpan elapsed)
    {
        foreach (CpuResult cpu in isLive ? cpus : [])
        {
            Write(LineOf("status", cpu) with
            {
                ElapsedNanoseconds = elapsed.ToNanoseconds(),
                LastNanoseconds = cpu.Status.LastNanoseconds,
            });
        }

        writer.Flush();
    }

    public override void Note(string text)
    {
        writer.WriteLine(ToolJson.Note(text));
        writer.Flush();
    }

    public override void End(JitterResult result)
    {
        foreach (CpuResult cpu in result.Cpus)
        {
            Write(LineOf("cpu", cpu) with { Percentiles = PercentilesOf(cpu) });
        }

        CpuJitterStatus status = result.Total.Status;
        JitterBreakJson? found = result.Break is not { } latency ? null : new(
            latency.Cpu, latency.LatencyNanoseconds, latency.IsMarked, latency.MarkUnavailableReason, latency.IsTracingStopped,
            latency.StopUnavailableReason);
        JitterSummaryLine summary = new(
            "summary", result.StartTime.UtcDateTime, result.Elapsed.ToNanoseconds(),
            CpuList.Format([.. result.Cpus.Select(cpu => cpu.Cpu)]), result.Options.Meter.Interval.ToNanoseconds(), result.Priority,
            result.Options.Load?.Text, result.IsInterrupted, status.Count, status.Lost, status.MinNanoseconds, status.MeanNanoseconds,
            status.MaxNanoseconds, PercentilesOf(result.Total), found);
        writer.WriteLine(ToolJson.Line(summary, JitterJsonContext.Default.JitterSummaryLine));
        writer.Flush();
    }

    private static JitterCpuLine LineOf(string kind, CpuResult cpu) => new(
        kind, null, cpu.Cpu, cpu.ThreadId, cpu.Status.Count, cpu.Status.Lost, cpu.Status.MinNanoseconds, cpu.Status.MeanNanoseconds,
        cpu.Status.MaxNanoseconds, null, null);

    private static JitterPercentile[] PercentilesOf(CpuResult cpu) =>
        [.. CpuResult.Ranks.Zip(cpu.GetPercentiles(), (rank, nanoseconds) => new JitterPercentile(rank, nanoseconds))];

    private void Write(JitterCpuLine line) => writer.WriteLine(ToolJson.Line(line, JitterJsonContext.Default.JitterCpuLine));
}

/// <summary>The measurements of one CPU: with the elapsed time and the last latency while it is measured, and with percentiles at the
/// end.</summary>
internal sealed record JitterCpuLine(
    string Kind,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] long? ElapsedNanoseconds,
    int Cpu, long ThreadId, long Count, long LostCount, ulong MinNanoseconds, double MeanNanoseconds, ulong MaxNanoseconds,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] ulong? LastNanoseconds,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] JitterPercentile[]? Percentiles);

/// <summary>The options, and the measurements of all CPUs together.</summary>
internal sealed record JitterSummaryLine(
    string Kind, DateTime StartTimeUtc, long ElapsedNanoseconds, string Affinity, long IntervalNanoseconds, int? Priority, string? Command,
    bool IsInterrupted, long Count, long LostCount, ulong MinNanoseconds, double MeanNanoseconds, ulong MaxNanoseconds,
    JitterPercentile[] Percentiles, JitterBreakJson? Break);

internal sealed record JitterPercentile(double Percentile, ulong Nanoseconds);

internal sealed record JitterBreakJson(
    int Cpu, long LatencyNanoseconds, bool IsMarked, string? MarkProblem, bool IsTracingStopped, string? StopProblem);

[JsonSourceGenerationOptions(
    GenerationMode = JsonSourceGenerationMode.Serialization, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(JitterCpuLine))]
[JsonSerializable(typeof(JitterSummaryLine))]
internal sealed partial class JitterJsonContext : JsonSerializerContext;
