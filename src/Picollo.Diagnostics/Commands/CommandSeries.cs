using Picollo.Cpu;

namespace Picollo.Diagnostics;

/// <summary>Runs of one command, and what was measured in them as histograms: percentiles, mean and standard deviation of each, and the
/// size of the effect between two series (<see cref="Metrics.HdrHistogramSummary.GetEffectSize"/>).</summary>
/// <remarks>
/// <para>To compare two commands, run them in turn, so that what changes on the machine meanwhile meets both.</para>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed class CommandSeries
{
    private readonly List<CommandRun> _runs = [];
    private readonly List<CommandMeasure> _measures = [];

    /// <summary>The runs, in order.</summary>
    public IReadOnlyList<CommandRun> Runs => _runs;

    /// <summary>What was measured: the counters in their order; <c>elapsed</c>, <c>user</c>, <c>kernel</c>; <c>max resident</c>;
    /// <c>minor page faults</c>, <c>major page faults</c>; <c>voluntary switches</c>, <c>involuntary switches</c>. What is not known of any
    /// run is not among them.</summary>
    public IReadOnlyList<CommandMeasure> Measures => _measures;

    /// <summary>A measure by its name; null where there is none.</summary>
    /// <param name="name">Exactly.</param>
    public CommandMeasure? this[string name] => _measures.Find(measure => measure.Name == name);

    /// <summary>Adds a run.</summary>
    /// <param name="run">Of this command, by a meter with the same counters each time.</param>
    public void Add(CommandRun run)
    {
        _runs.Add(run);
        foreach (CommandCounter counter in run.Counters)
        {
            Record(counter.Name, counter.IsTime ? CommandUnit.Nanoseconds : CommandUnit.Count, counter.Value);
        }

        ResourceUsage usage = run.Usage;
        Record("elapsed", CommandUnit.Nanoseconds, run.ElapsedNanoseconds);
        Record("user", CommandUnit.Nanoseconds, usage.Cpu.UserNanoseconds);
        Record("kernel", CommandUnit.Nanoseconds, usage.Cpu.KernelNanoseconds);
        if (usage.MaxResidentBytes > 0)
        {
            Record("max resident", CommandUnit.Bytes, usage.MaxResidentBytes);
        }

        Record("minor page faults", CommandUnit.Count, usage.MinorPageFaults);
        Record("major page faults", CommandUnit.Count, usage.MajorPageFaults);
        Record("voluntary switches", CommandUnit.Count, usage.VoluntaryContextSwitches);
        Record("involuntary switches", CommandUnit.Count, usage.InvoluntaryContextSwitches);
    }

    private void Record(string name, CommandUnit unit, long value) => Record(name, unit, (ulong)Math.Max(value, 0));

    private void Record(string name, CommandUnit unit, ulong value)
    {
        if (this[name] is not { } measure)
        {
            _measures.Add(measure = new CommandMeasure(name, unit));
        }

        measure.Histogram.Record(value);
    }
}
