using System.Text.Json;
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
            Write("status", json =>
            {
                json.WriteNanoseconds("elapsedNanoseconds", elapsed);
                WriteCpu(json, cpu);
                json.WriteNumber("lastNanoseconds", cpu.Status.LastNanoseconds);
            });
        }

        writer.Flush();
    }

    public override void Note(string text)
    {
        writer.WriteLine(JsonLine.OfNote(text));
        writer.Flush();
    }

    public override void End(JitterResult result)
    {
        foreach (CpuResult cpu in result.Cpus)
        {
            Write("cpu", json =>
            {
                WriteCpu(json, cpu);
                WritePercentiles(json, cpu);
            });
        }

        Write("summary", json => WriteSummary(json, result));
        writer.Flush();
    }

    private static void WriteSummary(Utf8JsonWriter json, JitterResult result)
    {
        json.WriteString("startTimeUtc", result.StartTime.UtcDateTime);
        json.WriteNanoseconds("elapsedNanoseconds", result.Elapsed);
        json.WriteString("affinity", CpuList.Format([.. result.Cpus.Select(cpu => cpu.Cpu)]));
        json.WriteNanoseconds("intervalNanoseconds", result.Options.Meter.Interval);
        json.WriteNumberOrNull("priority", result.Priority);
        json.WriteString("command", result.Options.Load?.Text);
        json.WriteBoolean("isInterrupted", result.IsInterrupted);
        WriteStatus(json, result.Total.Status);
        WritePercentiles(json, result.Total);
        if (result.Break is not { } found)
        {
            json.WriteNull("break");
            return;
        }

        json.WriteStartObject("break");
        json.WriteNumber("cpu", found.Cpu);
        json.WriteNumber("latencyNanoseconds", found.LatencyNanoseconds);
        json.WriteBoolean("isMarked", found.IsMarked);
        json.WriteString("markProblem", found.MarkUnavailableReason);
        json.WriteBoolean("isTracingStopped", found.IsTracingStopped);
        json.WriteString("stopProblem", found.StopUnavailableReason);
        json.WriteEndObject();
    }

    private static void WriteCpu(Utf8JsonWriter json, CpuResult cpu)
    {
        json.WriteNumber("cpu", cpu.Cpu);
        json.WriteNumber("threadId", cpu.ThreadId);
        WriteStatus(json, cpu.Status);
    }

    private static void WriteStatus(Utf8JsonWriter json, CpuJitterStatus status)
    {
        json.WriteNumber("count", status.Count);
        json.WriteNumber("lostCount", status.Lost);
        json.WriteNumber("minNanoseconds", status.MinNanoseconds);
        json.WriteNumber("meanNanoseconds", status.MeanNanoseconds);
        json.WriteNumber("maxNanoseconds", status.MaxNanoseconds);
    }

    private static void WritePercentiles(Utf8JsonWriter json, CpuResult cpu) =>
        json.WriteObjects("percentiles", CpuResult.Ranks.Zip(cpu.GetPercentiles()), percentile =>
        {
            json.WriteNumber("percentile", percentile.First);
            json.WriteNumber("nanoseconds", percentile.Second);
        });

    private void Write(string kind, Action<Utf8JsonWriter> writeMembers) => writer.WriteLine(JsonLine.Of(kind, writeMembers));
}
