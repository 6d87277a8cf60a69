using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Export.Text;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

/// <summary>Writes the report as tables of at most 80 columns.</summary>
internal sealed class StatText(TextWriter writer, StatOptions options) : StatReport
{
    private const int Width = 80;
    private const double NanosecondsPerSecond = 1e9;

    /// <summary>The significant digits in tables of several runs. The JSON output has all digits.</summary>
    private const int Digits = 3;

    private int _nameWidth;

    public override void End(StatResult result)
    {
        IReadOnlyList<CommandSeries> series = result.Series;
        CommandRun[] runs = [.. series.SelectMany(command => command.Runs)];
        writer.WriteLine();
        if (series.Count > 1)
        {
            WriteComparisons(result);
        }
        else
        {
            writer.WriteLine(Shortened(ForeignText.Clean(options.Commands[0].Text)));
            if (options.Runs > 1 || result.Baseline is not null)
            {
                writer.WriteLine(Runs(runs.Length, result.IsInterrupted, ""));
            }

            writer.WriteLine();
            if (runs.Length > 0)
            {
                Write(series[0], result.Baseline);
            }
        }

        if (result.Gate is not null)
        {
            writer.WriteLine();
            writer.WriteWrapped($"{result.Gate}");
        }

        foreach (string note in (IEnumerable<string>)[.. Shared(runs), .. result.Notes, .. Failures(runs)])
        {
            writer.WriteLine();
            writer.WriteWrapped(note);
        }

        writer.WriteLine();
    }

    protected override void AddInterval(long endNanoseconds, CommandRun run)
    {
        if (_nameWidth == 0)
        {
            _nameWidth = run.Counters.Max(counter => counter.Name.Length);
            writer.WriteLine();
        }

        foreach (CommandCounter counter in run.Counters)
        {
            string time = Invariant($"{endNanoseconds / NanosecondsPerSecond:0.000} s");
            string name = ForeignText.Clean(counter.Name).PadRight(_nameWidth);
            writer.WriteLine($"{time,11}  {ValueOf(counter),19}  {name}  {Remark.On(counter, run)}".TrimEnd());
        }

        writer.Flush();
    }

    private static IEnumerable<string> Shared(IEnumerable<CommandRun> runs) => runs.Any(run => run.Counters.Any(Remark.IsScaled))
        ? ["[n %]: the CPU has too few counters; this counter ran n % of the time, and its value is scaled"]
        : [];

    private IEnumerable<string> Failures(CommandRun[] runs) => FailuresOf(runs, "runs") is not { } failures ? []
        : options.Runs * options.Commands.Count == 1 ? [$"the command {Ending(runs[0])}"]
        : [failures];

    private string Runs(int done, bool isInterrupted, string how) => isInterrupted && done < options.Runs
        ? Invariant($"{done} of {options.Runs} runs{how}: interrupted; the incomplete run is excluded")
        : Invariant($"{done} {(done == 1 ? "run" : "runs")}{how}");

    private void Write(CommandSeries series, Baseline? baseline)
    {
        if (baseline is not null)
        {
            WriteComparison("baseline", baseline.Series, "now", series);
        }
        else if (options.Runs > 1)
        {
            WriteSeries(series);
        }
        else
        {
            WriteRun(series.Runs[0]);
        }
    }

    private void WriteRun(CommandRun run)
    {
        TextTable table = new("lrl");
        foreach (CommandQuantity quantity in CommandQuantity.All)
        {
            if (quantity.Of(run) is { } value)
            {
                table.Add(quantity.Title, quantity.Unit.Full((ulong)Math.Max(value, 0)), Remark.On(quantity, value, run));
            }
        }

        CommandCounter[] counters = [.. run.Counters.Where(counter => options.Events is not null || !IsQuantity(counter, run))];
        if (counters.Length > 0)
        {
            table.Add();
        }

        foreach (CommandCounter counter in counters)
        {
            table.Add(ForeignText.Clean(counter.Name), ValueOf(counter), Remark.On(counter, run));
        }

        table.Write(writer);
        if (options.PerThread)
        {
            WriteThreads(run);
        }
    }

    /// <summary>Returns whether a default counter duplicates another row of the run.</summary>
    private static bool IsQuantity(CommandCounter counter, CommandRun run) => counter.Name switch
    {
        "task-clock" => true,
        "context-switches" or "page-faults" => !run.IsAttached,
        _ => false,
    };

    private static string ValueOf(CommandCounter counter) =>
        (counter.IsTime ? CommandUnit.Nanoseconds : CommandUnit.Count).Full(counter.Value);

    private void WriteThreads(CommandRun run)
    {
        long total = run.Usage.Cpu.TotalNanoseconds;
        long seen = run.Threads.Sum(thread => thread.CpuNanoseconds);
        TextTable table = new("rrlrr");
        table.Add("process", "thread", "name", "CPU time", "share");
        foreach (CommandThread thread in run.Threads)
        {
            table.Add(
                thread.ProcessId.ToString(CultureInfo.InvariantCulture),
                thread.ThreadId.ToString(CultureInfo.InvariantCulture),
                ForeignText.Clean(thread.Name),
                Quantity.Time(thread.CpuNanoseconds, digits: 4),
                Share(thread.CpuNanoseconds, total));
        }

        long unseen = Math.Max(total - seen, 0);
        table.Add("", "", "not seen", Quantity.Time(unseen, digits: 4), Share(unseen, total));
        writer.WriteLine();
        table.Write(writer);
    }

    private void WriteSeries(CommandSeries series)
    {
        TextTable table = new("lrrrrrr");
        table.Add("", "mean", "± stdev", "p50", "p90", "p99", "max");
        foreach (CommandMeasure measure in series.Measures)
        {
            HdrHistogramSummary summary = measure.Histogram.GetSummary();
            table.Add(
                ForeignText.Clean(measure.Title),
                measure.Unit.Short(summary.Mean, Digits),
                Deviation(summary),
                At(summary.P50),
                At(summary.P90),
                At(summary.P99),
                measure.Unit.Short(summary.P100.Value, Digits));

            // A percentile with no run above it would only repeat the maximum.
            string At(Percentile percentile) => PercentileRank.IsBelowMaximum(percentile.Rank, summary.TotalCount)
                ? measure.Unit.Short(percentile.Value, Digits)
                : Quantity.MissingInText;
        }

        table.Write(writer);
    }

    private void WriteComparisons(StatResult result)
    {
        for (int i = 0; i < options.Commands.Count; i++)
        {
            writer.WriteLine(Shortened($"{Letter(i)}: {ForeignText.Clean(options.Commands[i].Text)}"));
        }

        IReadOnlyList<CommandSeries> series = result.Series;
        writer.WriteLine(Runs(series[0].Runs.Count, result.IsInterrupted, " of each command, alternately"));
        for (int i = 1; i < series.Count; i++)
        {
            if (series[i].Runs.Count > 0)
            {
                writer.WriteLine();
                WriteComparison($"{Letter(0)} mean", series[0], $"{Letter(i)} mean", series[i]);
            }
        }
    }

    private static char Letter(int command) => (char)('A' + command);

    private void WriteComparison(string firstName, CommandSeries first, string secondName, CommandSeries second)
    {
        TextTable table = new("lrrrrrr");
        table.Add("", firstName, "± stdev", secondName, "± stdev", "Δ", "d");
        foreach (CommandMeasure measure in first.Measures)
        {
            if (second[measure.Name] is not { } other)
            {
                continue;
            }

            (HdrHistogramSummary a, HdrHistogramSummary b) = (measure.Histogram.GetSummary(), other.Histogram.GetSummary());
            table.Add(
                ForeignText.Clean(measure.Title),
                measure.Unit.Short(a.Mean, Digits),
                Deviation(a),
                measure.Unit.Short(b.Mean, Digits),
                Deviation(b),
                Change(a.Mean, b.Mean),
                Effect(SampleStatistics.EffectSize(a, b)));
        }

        table.Write(writer);
        writer.WriteLine();
        writer.WriteLine("d: the difference in standard deviations (Cohen's d); 0.2 is small, 0.8 is large");
    }

    private static string Shortened(string text) => text.Length <= Width ? text : text[..(Width - 1)] + "…";

    private static string Share(long part, long whole) => whole > 0 ? Quantity.Percent((double)part / whole) : Quantity.MissingInText;

    private static string Deviation(HdrHistogramSummary summary) =>
        summary.Mean > 0 && summary.TotalCount > 1
            ? "±" + Quantity.Percent(SampleStatistics.StDev(summary) / summary.Mean)
            : Quantity.MissingInText;

    private static string Change(double before, double after) =>
        before > 0 ? Quantity.Change((after - before) / before) : after > 0 ? Quantity.MissingInText : Quantity.Change(0);

    private static string Effect(double d) => double.IsNaN(d) ? Quantity.MissingInText
        : double.IsInfinity(d) ? d > 0 ? "+∞" : "-∞" : d.ToString("+0.00;-0.00;0.00", CultureInfo.InvariantCulture);
}

/// <summary>Relates the value of a counter to others: as a rate or a share.</summary>
internal static class Remark
{
    private const double NanosecondsPerSecond = 1e9;

    /// <summary>The share of the time below which the share is shown.</summary>
    private const double AllTheTime = 0.9995;

    public static string On(CommandCounter counter, CommandRun run)
    {
        string remark = counter.Value == 0 ? "" : Of(counter, run);
        return IsScaled(counter) ? $"{remark} [{Quantity.Percent(counter.RunningShare!.Value)}]".TrimStart() : remark;
    }

    /// <summary>Returns the number of CPUs used, for the CPU time; otherwise, an empty string.</summary>
    public static string On(CommandQuantity quantity, long value, CommandRun run) =>
        quantity.Name == "cpuNanoseconds" && run.ElapsedNanoseconds > 0 ? CpusUsed(value, run) : "";

    public static bool IsScaled(CommandCounter counter) => counter.RunningShare < AllTheTime;

    private static string Of(CommandCounter counter, CommandRun run)
    {
        double cpuNanoseconds = (double?)Find(run, "task-clock")?.Value ?? run.Usage.Cpu.TotalNanoseconds;
        return counter.IsTime
                ? CpusUsed(counter.Value, run)
            : counter.Name is "instructions" && Find(run, "cycles") is { Value: > 0 } cycles
                ? Invariant($"{counter.Value / (double)cycles.Value:0.000} per cycle")
            : counter.Name is "cycles" && cpuNanoseconds > 0
                ? Invariant($"{counter.Value / cpuNanoseconds:0.000} GHz")
            : TotalCounterOf(counter.Name) is { } whole && Find(run, whole) is { Value: > 0 } all
                ? $"{Quantity.Percent((double)counter.Value / all.Value)} of {whole}"
            : cpuNanoseconds > 0
                ? $"{Quantity.Short(counter.Value / cpuNanoseconds * NanosecondsPerSecond, digits: 4)} per CPU s"
            : "";
    }

    private static string CpusUsed(double nanoseconds, CommandRun run) =>
        Invariant($"{nanoseconds / run.ElapsedNanoseconds:0.000} CPUs used");

    /// <summary>Returns the name of the counter that includes the specified counter of misses.</summary>
    private static string? TotalCounterOf(string name) => name switch
    {
        "branch-misses" => "branches",
        "cache-misses" => "cache-references",
        _ when name.EndsWith("-prefetch-misses", StringComparison.Ordinal) => name[..^"-misses".Length] + "es",
        _ when name.EndsWith("-misses", StringComparison.Ordinal) => name[..^"-misses".Length] + "s",
        _ => null,
    };

    private static CommandCounter? Find(CommandRun run, string name) =>
        run.Counters.Where(counter => counter.Name == name).Cast<CommandCounter?>().FirstOrDefault();
}
