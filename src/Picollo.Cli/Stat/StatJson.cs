using System.Text.Json;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

/// <summary>Writes the report as JSON Lines (docs/schemas/picollo-stat.schema.json): an object for each run when it ends, then one for each
/// command with several runs, and one for each comparison.</summary>
internal sealed class StatJson(TextWriter writer, StatOptions options) : StatReport
{
    private readonly int[] _runs = new int[options.Commands.Count];

    public override void Add(int command, CommandRun run) => Write("run", json =>
    {
        json.WriteNumber("run", ++_runs[command]);
        WriteCommand(json, command);
        json.WriteNumber("exitCode", run.ExitCode);
        json.WriteNumberOrNull("signal", run.Signal);
        foreach (CommandQuantity quantity in CommandQuantity.All)
        {
            json.WriteNumberOrNull(quantity.Name, quantity.Of(run));
        }

        WriteCounters(json, run);
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

    public override void End(StatResult result)
    {
        IReadOnlyList<CommandSeries> series = result.Series;
        for (int command = 0; command < series.Count && options.Runs > 1; command++)
        {
            WriteSummary(command, series[command], result.IsInterrupted);
        }

        for (int command = 1; command < series.Count; command++)
        {
            if (series[command].Runs.Count > 0)
            {
                WriteComparison(options.Commands[0].Text, series[0], command, series[command]);
            }
        }

        if (result.Baseline is { } baseline && series[0].Runs.Count > 0)
        {
            WriteComparison(baseline.Command, baseline.Series, 0, series[0]);
        }

        if (result.Gate is { } gate)
        {
            WriteGate(gate);
        }

        foreach (string note in result.Notes)
        {
            writer.WriteLine(JsonLine.OfNote(note));
        }

        writer.Flush();
    }

    protected override void AddInterval(long endNanoseconds, CommandRun run) => Write("interval", json =>
    {
        json.WriteNumber("endNanoseconds", endNanoseconds);
        json.WriteNumber("lengthNanoseconds", run.ElapsedNanoseconds);
        WriteCounters(json, run);
    });

    private static void WriteCounters(Utf8JsonWriter json, CommandRun run) => json.WriteObjects("counters", run.Counters, counter =>
    {
        WriteName(json, counter.Name, counter.IsTime ? CommandUnit.Nanoseconds : CommandUnit.Count);
        json.WriteNumber("value", counter.Value);
        json.WriteNumberOrNull("runningShare", counter.RunningShare);
    });

    private void WriteGate(Gate gate) => Write("gate", json =>
    {
        json.WriteString("measure", Gate.Measure);
        json.WriteNumberOrNull("change", gate.Change.Mean);
        json.WriteNumberOrNull("changeLow", gate.Change.Low);
        json.WriteNumberOrNull("changeHigh", gate.Change.High);
        json.WriteNumberOrNull("limit", gate.Limit);
        json.WriteBoolean("isCrossed", gate.IsCrossed);
    });

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
            json.WriteNumber("standardDeviation", SampleStatistics.StDev(summary));
            json.WriteNumber("p50", summary.P50.Value);
            json.WriteNumber("p90", summary.P90.Value);
            json.WriteNumber("p99", summary.P99.Value);
            json.WriteNumber("max", summary.P100.Value);
        });
    });

    private void WriteComparison(string before, CommandSeries first, int command, CommandSeries second) => Write("comparison", json =>
    {
        json.WriteString("before", before);
        json.WriteString("after", options.Commands[command].Text);
        json.WriteNumber("afterIndex", command);
        json.WriteObjects("measures", first.Measures.Where(measure => second[measure.Name] is not null), measure =>
        {
            HdrHistogramSummary before = measure.Histogram.GetSummary();
            HdrHistogramSummary after = second[measure.Name]!.Histogram.GetSummary();
            WriteName(json, measure.Name, measure.Unit);
            json.WriteNumber("meanBefore", before.Mean);
            json.WriteNumber("meanAfter", after.Mean);
            json.WriteNumberOrNull("effectSize", SampleStatistics.EffectSize(before, after));
        });
    });

    private static void WriteName(Utf8JsonWriter json, string name, CommandUnit unit)
    {
        json.WriteString("name", name);
        json.WriteString("unit", Quantity.NameOf(unit));
    }

    private void Write(string kind, Action<Utf8JsonWriter> writeMembers)
    {
        writer.WriteLine(JsonLine.Of(kind, writeMembers));
        writer.Flush();
    }
}
