using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Cli.Stat;

/// <summary>Writes the report as JSON Lines (docs/schemas/picollo-stat.schema.json): an object for each run when it ends, then one for each
/// command with several runs, and one for each comparison.</summary>
internal sealed class StatJson(TextWriter writer, StatOptions options) : StatReport
{
    private readonly int[] _runs = new int[options.Commands.Count];

    public override void Add(int command, CommandRun run)
    {
        long?[] values = [.. CommandQuantity.All.Select(quantity => quantity.Of(run))];
        StatRunLine line = new(
            "run", ++_runs[command], options.Commands[command].Text, command, run.ExitCode, run.TerminationSignal,
            values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8],
            CountersOf(run),
            run.UnavailableCounters.Keys,
            options.PerThread ? run.Threads : null);
        Write(line, StatJsonContext.Default.StatRunLine);
    }

    public override void End(StatResult result)
    {
        IReadOnlyList<CommandSeries> series = result.Series;
        for (int command = 0; command < series.Count && options.Runs > 1; command++)
        {
            IReadOnlyList<CommandRun> runs = series[command].Runs;
            StatSummaryLine line = new(
                "summary", options.Commands[command].Text, command, runs.Count, runs.Count(run => run.ExitCode != 0), result.IsInterrupted,
                series[command].Measures.Select(SummaryOf));
            Write(line, StatJsonContext.Default.StatSummaryLine);
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

        if (result.Gate is { Change: var change } gate)
        {
            Write(
                new(
                    "gate",
                    Gate.Measure,
                    ToolJson.Finite(change.Mean),
                    ToolJson.Finite(change.Low),
                    ToolJson.Finite(change.High),
                    gate.Limit,
                    gate.IsCrossed),
                StatJsonContext.Default.StatGateLine);
        }

        foreach (string note in result.Notes)
        {
            writer.WriteLine(ToolJson.Note(note));
        }

        writer.Flush();
    }

    protected override void AddInterval(long endNanoseconds, CommandRun run) =>
        Write(new("interval", endNanoseconds, run.ElapsedNanoseconds, CountersOf(run)), StatJsonContext.Default.StatIntervalLine);

    private static IEnumerable<StatCounter> CountersOf(CommandRun run) => run.Counters.Select(counter => new StatCounter(
        counter.Name, counter.IsTime ? CommandUnit.Nanoseconds : CommandUnit.Count, counter.Value, counter.RunningShare));

    private static StatMeasure SummaryOf(CommandMeasure measure)
    {
        HdrHistogramSummary summary = measure.Histogram.GetSummary();
        return new(
            measure.Name, measure.Unit, summary.Mean, SampleStatistics.StDev(summary),
            summary.P50.Value, summary.P90.Value, summary.P99.Value, summary.P100.Value);
    }

    private void WriteComparison(string before, CommandSeries first, int command, CommandSeries second)
    {
        IEnumerable<StatChange> changes = first.Measures.Where(measure => second[measure.Name] is not null).Select(measure =>
        {
            HdrHistogramSummary before = measure.Histogram.GetSummary();
            HdrHistogramSummary after = second[measure.Name]!.Histogram.GetSummary();
            return new StatChange(
                measure.Name, measure.Unit, before.Mean, after.Mean, ToolJson.Finite(SampleStatistics.EffectSize(before, after)));
        });
        Write(
            new("comparison", before, options.Commands[command].Text, command, changes), StatJsonContext.Default.StatComparisonLine);
    }

    private void Write<T>(T line, JsonTypeInfo<T> type)
    {
        writer.WriteLine(ToolJson.Line(line, type));
        writer.Flush();
    }
}

/// <summary>A run. The values from <paramref name="ElapsedNanoseconds"/> to <paramref name="InvoluntaryContextSwitches"/> are those of
/// <see cref="CommandQuantity.All"/>, in this order. Two commands may have the same text, so a command also has an index.</summary>
internal sealed record StatRunLine(
    string Kind, int Run, string Command, int CommandIndex, int ExitCode, int? Signal,
    long? ElapsedNanoseconds, long? CpuNanoseconds, long? UserNanoseconds, long? KernelNanoseconds, long? MaxResidentBytes,
    long? MinorPageFaults, long? MajorPageFaults, long? VoluntaryContextSwitches, long? InvoluntaryContextSwitches,
    IEnumerable<StatCounter> Counters, IEnumerable<string> NotCounted,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] IEnumerable<CommandThread>? Threads);

internal sealed record StatIntervalLine(string Kind, long EndNanoseconds, long LengthNanoseconds, IEnumerable<StatCounter> Counters);

internal sealed record StatSummaryLine(
    string Kind, string Command, int CommandIndex, int Runs, int FailedRuns, bool IsInterrupted, IEnumerable<StatMeasure> Measures);

internal sealed record StatComparisonLine(string Kind, string Before, string After, int AfterIndex, IEnumerable<StatChange> Measures);

internal sealed record StatGateLine(
    string Kind, string Measure, double? Change, double? ChangeLow, double? ChangeHigh, double? Limit, bool IsCrossed);

internal sealed record StatCounter(string Name, CommandUnit Unit, ulong Value, double? RunningShare);

internal sealed record StatMeasure(
    string Name, CommandUnit Unit, double Mean, double StandardDeviation, ulong P50, ulong P90, ulong P99, ulong Max);

internal sealed record StatChange(string Name, CommandUnit Unit, double MeanBefore, double MeanAfter, double? EffectSize);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(StatRunLine), GenerationMode = JsonSourceGenerationMode.Serialization)]
[JsonSerializable(typeof(StatIntervalLine), GenerationMode = JsonSourceGenerationMode.Serialization)]
[JsonSerializable(typeof(StatSummaryLine), GenerationMode = JsonSourceGenerationMode.Serialization)]
[JsonSerializable(typeof(StatComparisonLine), GenerationMode = JsonSourceGenerationMode.Serialization)]
[JsonSerializable(typeof(StatGateLine), GenerationMode = JsonSourceGenerationMode.Serialization)]
[JsonSerializable(typeof(BaselineVersion))]
[JsonSerializable(typeof(BaselineFile))]
internal sealed partial class StatJsonContext : JsonSerializerContext;
