using System.Text.Json;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

/// <summary>The report as JSON Lines: an object per run when it ends, then one per command of several runs, and one of a comparison
/// (docs/schemas/picollo-stat.schema.json).</summary>
internal sealed class StatJson(TextWriter writer, StatOptions options) : StatReport
{
    private readonly int[] _runs = new int[options.Commands.Count];

    public override void Add(int command, CommandRun run) => Write("run", json =>
    {
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
        json.WriteObjects("counters", run.Counters, counter =>
        {
            WriteName(json, counter.Name, counter.IsTime ? CommandUnit.Nanoseconds : CommandUnit.Count);
            json.WriteNumber("value", counter.Value);
            json.WriteNumberOrNull("runningShare", counter.RunningShare);
        });
        json.WriteStrings("notCounted", run.UnavailableCounters.Select(counter => counter.Name));
        if (options.PerThread)
        {
            json.WriteObjects("threads", run.Threads, thread =>
            {
                json.WriteNumber("processId", thread.ProcessId);
                json.WriteNumber("threadId", thread.ThreadId);
                json.WriteString("name", thread.Name);
                json.WriteNumber("cpuNanoseconds", thread.CpuNanoseconds);
            });
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

        // Once, of any run: it is the same machine for all.
        foreach (string note in StatText.Missing(series.SelectMany(each => each.Runs)).Concat(notes.OfType<string>()))
        {
            writer.WriteLine(JsonLine.OfNote(note));
        }

        writer.Flush();
    }

    // Two commands may have the same text.
    private void WriteCommand(Utf8JsonWriter json, int command)
    {
        json.WriteString("command", options.Commands[command].Text);
        json.WriteNumber("commandIndex", command);
    }

    private void WriteSummary(int command, CommandSeries series, bool isInterrupted) => Write("summary", json =>
    {
        WriteCommand(json, command);
        json.WriteNumber("runs", series.Runs.Count);
        json.WriteNumber("failedRuns", series.Runs.Count(run => run.ExitCode != 0));
        json.WriteBoolean("isInterrupted", isInterrupted);
        json.WriteObjects("measures", series.Measures, measure =>
        {
            HdrHistogramSummary summary = measure.Histogram.GetSummary();
            WriteName(json, measure.Name, measure.Unit);
            json.WriteNumber("mean", summary.Mean);
            json.WriteNumber("standardDeviation", summary.StDev);
            json.WriteNumber("p50", summary.P50.Value);
            json.WriteNumber("p90", summary.P90.Value);
            json.WriteNumber("p99", summary.P99.Value);
            json.WriteNumber("max", summary.P100.Value);
        });
    });

    private void WriteComparison(CommandSeries first, CommandSeries second) => Write("comparison", json =>
    {
        json.WriteString("before", options.Commands[0].Text);
        json.WriteString("after", options.Commands[1].Text);
        json.WriteObjects("measures", first.Measures.Where(measure => second[measure.Name] is not null), measure =>
        {
            HdrHistogramSummary before = measure.Histogram.GetSummary();
            HdrHistogramSummary after = second[measure.Name]!.Histogram.GetSummary();
            WriteName(json, measure.Name, measure.Unit);
            json.WriteNumber("meanBefore", before.Mean);
            json.WriteNumber("meanAfter", after.Mean);
            json.WriteNumberOrNull("effectSize", before.GetEffectSize(after));
        });
    });

    private static void WriteName(Utf8JsonWriter json, string name, CommandUnit unit)
    {
        json.WriteString("name", name);
        json.WriteString("unit", unit switch
        {
            CommandUnit.Nanoseconds => "nanoseconds",
            CommandUnit.Bytes => "bytes",
            _ => "count",
        });
    }

    private void Write(string kind, Action<Utf8JsonWriter> writeMembers)
    {
        writer.WriteLine(JsonLine.Of(kind, writeMembers));
        writer.Flush();
    }
}
