using System.Text.Json;
using Picollo.Cli.Shell;
using Picollo.Diagnostics;

namespace Picollo.Cli.Jitter;

/// <summary>JSON Lines (docs/schemas/picollo-jitter.schema.json): with -v an object a CPU each second, at the end one a CPU and one of them
/// all.</summary>
internal sealed class JitterJson(TextWriter writer, bool isLive) : JitterReport
{
    public override void Begin(IReadOnlyList<CpuResult> cpus)
    {
    }

    public override void Add(IReadOnlyList<CpuResult> cpus, TimeSpan elapsed)
    {
        for (int i = 0; i < cpus.Count && isLive; i++)
        {
            CpuResult cpu = cpus[i];
            Write("status", json =>
            {
                json.WriteNumber("elapsedNanoseconds", Nanoseconds(elapsed));
                WriteCpu(json, cpu);
                WriteStatus(json, cpu.Status);
                json.WriteNumber("lastNanoseconds", cpu.Status.LastNanoseconds);
            });
        }

        writer.Flush();
    }

    public override void Note(string text)
    {
        Write("note", json => json.WriteString("text", text));
        writer.Flush();
    }

    public override void End(JitterResult result)
    {
        foreach (CpuResult cpu in result.Cpus)
        {
            Write("cpu", json =>
            {
                WriteCpu(json, cpu);
                WriteStatus(json, cpu.Status);
                WritePercentiles(json, cpu);
            });
        }

        Write("summary", json => WriteSummary(json, result));
        writer.Flush();
    }

    private static void WriteSummary(Utf8JsonWriter json, JitterResult result)
    {
        json.WriteString("startTimeUtc", result.StartTimeUtc);
        json.WriteNumber("elapsedNanoseconds", Nanoseconds(result.Elapsed));
        json.WriteString("affinity", CpuList.Format([.. result.Cpus.Select(cpu => cpu.Cpu)]));
        json.WriteNumber("intervalNanoseconds", Nanoseconds(result.Options.Meter.Interval));
        json.WriteNumberOrNull("priority", result.Options.Meter.Priority);
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
        json.WriteEndObject();
    }

    private static void WriteCpu(Utf8JsonWriter json, CpuResult cpu)
    {
        json.WriteNumber("cpu", cpu.Cpu);
        json.WriteNumber("threadId", cpu.ThreadId);
    }

    private static void WriteStatus(Utf8JsonWriter json, CpuJitterStatus status)
    {
        json.WriteNumber("count", status.Count);
        json.WriteNumber("lostCount", status.Lost);
        json.WriteNumber("minNanoseconds", status.MinNanoseconds);
        json.WriteNumber("meanNanoseconds", status.MeanNanoseconds);
        json.WriteNumber("maxNanoseconds", status.MaxNanoseconds);
    }

    private static void WritePercentiles(Utf8JsonWriter json, CpuResult cpu)
    {
        json.WriteStartArray("percentiles");
        ulong[] values = cpu.GetPercentiles();
        for (int i = 0; i < values.Length; i++)
        {
            json.WriteStartObject();
            json.WriteNumber("percentile", CpuResult.Ranks[i]);
            json.WriteNumber("nanoseconds", values[i]);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static long Nanoseconds(TimeSpan time) => time.Ticks * TimeSpan.NanosecondsPerTick;

    private void Write(string kind, Action<Utf8JsonWriter> content) => writer.WriteLine(JsonLine.Of(json =>
    {
        json.WriteString("kind", kind);
        content(json);
    }));
}
