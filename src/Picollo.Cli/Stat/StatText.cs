using System.Globalization;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

/// <summary>The report as tables, 80 columns wide at most.</summary>
internal sealed class StatText(TextWriter writer, StatOptions options) : StatReport
{
    private const int Width = 80;

    /// <summary>Digits of a number in a table of many; all of them are in the JSON.</summary>
    private const int Digits = 3;

    public override void End(IReadOnlyList<CommandSeries> series, IEnumerable<string?> notes, bool isInterrupted)
    {
        CommandRun[] runs = [.. series.SelectMany(each => each.Runs)];
        writer.WriteLine();
        if (options.Commands.Count == 2)
        {
            writer.WriteLine(Shortened($"A: {ForeignText.Clean(options.Commands[0].Text)}"));
            writer.WriteLine(Shortened($"B: {ForeignText.Clean(options.Commands[1].Text)}"));
            writer.WriteLine(Runs(series[0].Runs.Count, isInterrupted, " of each, in turn"));
            writer.WriteLine();
            WriteComparison(series[0], series[1]);
        }
        else
        {
            writer.WriteLine(Shortened(ForeignText.Clean(options.Commands[0].Text)));
            if (options.Runs > 1)
            {
                writer.WriteLine(Runs(runs.Length, isInterrupted, ""));
            }

            writer.WriteLine();
            if (options.Runs > 1)
            {
                WriteSeries(series[0]);
            }
            else if (runs.Length > 0)
            {
                WriteRun(runs[0]);
            }
        }

        foreach (string note in (IEnumerable<string>)[.. Shared(runs), .. notes.OfType<string>(), .. Missing(runs), .. Failures(runs)])
        {
            writer.WriteLine();
            writer.WriteWrapped(note);
        }

        writer.WriteLine();
    }

    /// <summary>Counters that could not be opened, grouped by reason: "not counted: cycles, branches: why".</summary>
    public static IEnumerable<string> Missing(IEnumerable<CommandRun> runs) =>
        UnavailableCounterText.Describe(runs.FirstOrDefault()?.UnavailableCounters ?? []).Select(text => $"not counted: {text}");

    private static IEnumerable<string> Shared(IEnumerable<CommandRun> runs) => runs.Any(run => run.Counters.Any(Remark.IsScaled))
        ? ["[n%]: there are more counters than the CPU has; this one counted so much of the time, and its value is scaled"]
        : [];

    private IEnumerable<string> Failures(CommandRun[] runs)
    {
        CommandRun[] failed = [.. runs.Where(run => run.ExitCode != 0)];
        return failed.Length == 0 ? []
            : options.Runs * options.Commands.Count == 1 ? [$"the command {Ending(failed[0])}"]
            : [Invariant($"{failed.Length} of {runs.Length} runs failed; the first {Ending(failed[0])}")];
    }

    private static string Ending(CommandRun run) => run.Signal is { } signal
        ? Invariant($"was ended by signal {signal}")
        : Invariant($"ended with exit code {run.ExitCode}");

    private string Runs(int done, bool isInterrupted, string how) => isInterrupted && done < options.Runs
        ? Invariant($"{done} of {options.Runs} runs{how}: interrupted, and the one cut short left out")
        : Invariant($"{done} {(done == 1 ? "run" : "runs")}{how}");

    private void WriteRun(CommandRun run)
    {
        TextTable table = new("lrl");
        foreach (CommandCounter counter in run.Counters)
        {
            table.Add(
                ForeignText.Clean(counter.Name),
                Quantity.Full(counter.Value, counter.IsTime ? CommandUnit.Nanoseconds : CommandUnit.Count),
                Remark.On(counter, run));
        }

        if (run.Counters.Count > 0)
        {
            table.Add();
        }

        ResourceUsage usage = run.Usage;
        table.Add("elapsed", Quantity.Short(run.ElapsedNanoseconds, CommandUnit.Nanoseconds));
        table.Add("user", Quantity.Short(usage.Cpu.UserNanoseconds, CommandUnit.Nanoseconds));
        table.Add("kernel", Quantity.Short(usage.Cpu.KernelNanoseconds, CommandUnit.Nanoseconds));
        if (usage.MaxResidentBytes > 0)
        {
            table.Add("max resident", Quantity.Short(usage.MaxResidentBytes, CommandUnit.Bytes));
        }

        table.Add(
            "page faults",
            Sum(usage.MinorPageFaults, usage.MajorPageFaults),
            Invariant($"{usage.MajorPageFaults:N0} of them read from disk"));
        table.Add(
            "context switches",
            Sum(usage.VoluntaryContextSwitches, usage.InvoluntaryContextSwitches),
            Invariant($"{usage.InvoluntaryContextSwitches:N0} of them involuntary"));
        table.Write(writer);
        if (options.PerThread)
        {
            WriteThreads(run);
        }
    }

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
                Quantity.Short(thread.CpuNanoseconds, CommandUnit.Nanoseconds),
                Share(thread.CpuNanoseconds, total));
        }

        long unseen = Math.Max(total - seen, 0);
        table.Add("", "", "not seen", Quantity.Short(unseen, CommandUnit.Nanoseconds), Share(unseen, total));
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
                ForeignText.Clean(measure.Name),
                Quantity.Short(summary.Mean, measure.Unit, Digits),
                Deviation(summary),
                At(summary.P50),
                At(summary.P90),
                At(summary.P99),
                Quantity.Short(summary.P100.Value, measure.Unit, Digits));

            // A percentile above which no run lies would be the maximum by another name.
            string At(Percentile percentile) => PercentileRank.IsBelowMaximum(percentile.Rank, summary.TotalCount)
                ? Quantity.Short(percentile.Value, measure.Unit, Digits)
                : "-";
        }

        if (series.Runs.Count > 0)
        {
            table.Write(writer);
        }
    }

    private void WriteComparison(CommandSeries first, CommandSeries second)
    {
        TextTable table = new("lrrrrrr");
        table.Add("", "A mean", "± stdev", "B mean", "± stdev", "Δ", "d");
        foreach (CommandMeasure measure in first.Measures)
        {
            if (second[measure.Name] is not { } other)
            {
                continue;
            }

            (HdrHistogramSummary a, HdrHistogramSummary b) = (measure.Histogram.GetSummary(), other.Histogram.GetSummary());
            table.Add(
                ForeignText.Clean(measure.Name),
                Quantity.Short(a.Mean, measure.Unit, Digits),
                Deviation(a),
                Quantity.Short(b.Mean, measure.Unit, Digits),
                Deviation(b),
                Change(a.Mean, b.Mean),
                a.TotalCount > 1 || b.TotalCount > 1 ? Effect(a.GetEffectSize(b)) : "n/a");
        }

        if (second.Runs.Count > 0)
        {
            table.Write(writer);
            writer.WriteLine();
            writer.WriteLine("d: the difference in standard deviations (Cohen's d); 0.2 is small, 0.8 large");
        }
    }

    private static string Shortened(string text) => text.Length <= Width ? text : text[..(Width - 1)] + "…";

    private static string Sum(long first, long second) => (first + second).ToString("N0", CultureInfo.InvariantCulture);

    private static string Share(long part, long whole) => whole > 0 ? Quantity.Percent((double)part / whole) : "";

    private static string Deviation(HdrHistogramSummary summary) =>
        summary.Mean > 0 && summary.TotalCount > 1 ? "±" + Quantity.Percent(summary.StDev / summary.Mean) : "";

    private static string Change(double before, double after) =>
        before > 0 ? Invariant($"{100 * (after - before) / before:+0.0;-0.0;0.0}%") : after > 0 ? "n/a" : "0.0%";

    private static string Effect(double d) =>
        double.IsInfinity(d) ? d > 0 ? "+∞" : "-∞" : d.ToString("+0.00;-0.00;0.00", CultureInfo.InvariantCulture);
}
