using System.Text.Json;
using Picollo.Cli.Shell;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

/// <summary>The report as JSON Lines: an object a run as it ends, one a command of several runs, one a comparison
/// (docs/schemas/picollo-stat.schema.json).</summary>
internal sealed class StatJson(TextWriter writer, StatOptions options) : StatReport
{
    private readonly int[] _runs = new int[options.Commands.Count];

    public override void Add(int command, CommandRun run) => Write(json =>
    {
        json.WriteString("kind", "run");
        json.WriteNumber("run", ++_runs[command]);
        WriteCommand(json, command);
        json.WriteNumber("exitCode", run.ExitCode);
        json.WriteNumberOrNull("signal", run.Signal);
        ResourceUsage usage = run.Usage;
        json.WriteNumber("elapsedNanoseconds", run.ElapsedNanoseconds);
        json.WriteNumber("userNanoseconds", usage.Cpu.UserNanoseconds);
        json.WriteNumber("kernelNanoseconds", usage.Cpu.KernelNanoseconds);
        json.WriteNumberOrNull("maxResidentBytes", usage.MaxResidentBytes > 0 ? usage.MaxResidentBytes : null);
        json.WriteNumber("minorPageFaults", usage.MinorPageFaults);
        json.WriteNumber("majorPageFaults", usage.MajorPageFaults);
        json.WriteNumber("voluntaryContextSwitches", usage.VoluntaryContextSwitches);
        json.WriteNumber("involuntaryContextSwitches", usage.InvoluntaryContextSwitches);
        WriteCounters(json, run);
        if (options.PerThread)
        {
            WriteThreads(json, run);
        }
    });

    public override void End(IReadOnlyList<CommandSeries> series, IEnumerable<string?> notes, bool isInterrupted)
    {
        for (int command = 0; command < series.Count && options.Runs > 1; command++)
        {
            WriteSummary(command, series[command], isInterrupted);
        }

        if (series is [{ Runs.Count: > 0 } first, { Runs.Count: > 0 } second])
        {
            WriteComparison(first, second);
        }

        // Once, by any run: it is the same machine for all.
        WriteNotes([.. StatText.Missing(series.SelectMany(each => each.Runs)), .. notes.OfType<string>()]);
    }

    private void WriteNotes(IEnumerable<string> notes)
    {
        foreach (string note in notes)
        {
            Write(json =>
            {
                json.WriteString("kind", "note");
                json.WriteString("text", note);
            });
        }
    }

    // The index tells two that are the same apart.
    private void WriteCommand(Utf8JsonWriter json, int command)
    {
        json.WriteString("command", options.Commands[command].Text);
        json.WriteNumber("commandIndex", command);
    }

    private static void WriteCounters(Utf8JsonWriter json, CommandRun run)
    {
        json.WriteStartArray("counters");
        foreach (CommandCounter counter in run.Counters)
        {
            json.WriteStartObject();
            json.WriteString("name", counter.Name);
            json.WriteString("unit", NameOf(counter.IsTime ? CommandUnit.Nanoseconds : CommandUnit.Count));
            json.WriteNumber("value", counter.Value);
            json.WriteNumberOrNull("runningShare", counter.RunningShare);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteStartArray("notCounted");
        foreach (UnavailablePerfCounter counter in run.UnavailableCounters)
        {
            json.WriteStringValue(counter.Name);
        }

        json.WriteEndArray();
    }

    private static void WriteThreads(Utf8JsonWriter json, CommandRun run)
    {
        json.WriteStartArray("threads");
        foreach (CommandThread thread in run.Threads)
        {
            json.WriteStartObject();
            json.WriteNumber("processId", thread.ProcessId);
            json.WriteNumber("threadId", thread.ThreadId);
            json.WriteString("name", thread.Name);
            json.WriteNumber("cpuNanoseconds", thread.CpuNanoseconds);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private void WriteSummary(int command, CommandSeries series, bool isInterrupted) => Write(json =>
    {
        json.WriteString("kind", "summary");
        WriteCommand(json, command);
        json.WriteNumber("runs", series.Runs.Count);
        json.WriteNumber("failedRuns", series.Runs.Count(run => run.ExitCode != 0));
        json.WriteBoolean("isInterrupted", isInterrupted);
        json.WriteStartArray("measures");
        foreach (CommandMeasure measure in series.Measures)
        {
            HdrHistogramSummary summary = measure.Histogram.GetSummary();
            json.WriteStartObject();
            WriteName(json, measure);
            json.WriteNumber("mean", summary.Mean);
            json.WriteNumber("standardDeviation", summary.StDev);
            json.WriteNumber("p50", summary.P50.Value);
            json.WriteNumber("p90", summary.P90.Value);
            json.WriteNumber("p99", summary.P99.Value);
            json.WriteNumber("max", summary.P100.Value);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    });

    private void WriteComparison(CommandSeries first, CommandSeries second) => Write(json =>
    {
        json.WriteString("kind", "comparison");
        json.WriteString("before", options.Commands[0].Text);
        json.WriteString("after", options.Commands[1].Text);
        json.WriteStartArray("measures");
        foreach (CommandMeasure measure in first.Measures)
        {
            if (second[measure.Name] is not { } other)
            {
                continue;
            }

            (HdrHistogramSummary before, HdrHistogramSummary after) = (measure.Histogram.GetSummary(), other.Histogram.GetSummary());
            json.WriteStartObject();
            WriteName(json, measure);
            json.WriteNumber("meanBefore", before.Mean);
            json.WriteNumber("meanAfter", after.Mean);
            json.WriteNumberOrNull("effectSize", before.GetEffectSize(after));
            json.WriteEndObject();
        }

        json.WriteEndArray();
    });

    private static void WriteName(Utf8JsonWriter json, CommandMeasure measure)
    {
        json.WriteString("name", measure.Name);
        json.WriteString("unit", NameOf(measure.Unit));
    }

    private static string NameOf(CommandUnit unit) => unit switch
    {
        CommandUnit.Nanoseconds => "nanoseconds",
        CommandUnit.Bytes => "bytes",
        _ => "count",
    };

    private void Write(Action<Utf8JsonWriter> writeMembers)
    {
        writer.WriteLine(JsonLine.Of(writeMembers));
        writer.Flush();
    }
}
