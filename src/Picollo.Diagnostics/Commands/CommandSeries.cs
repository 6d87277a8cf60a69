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

    public CommandSeries()
    {
    }

    /// <summary>Earlier runs, of which only the values are known.</summary>
    public CommandSeries(IEnumerable<CommandMeasure> measures) => _measures.AddRange(measures);

    /// <summary>The runs, in order.</summary>
    public IReadOnlyList<CommandRun> Runs => _runs;

    /// <summary>What was measured: <see cref="CommandQuantity.All"/>, then the counters in their order. What is not known of any run is not
    /// among them.</summary>
    public IReadOnlyList<CommandMeasure> Measures => _measures;

    /// <summary>A measure by its name; null where there is none.</summary>
    /// <param name="name">Exactly.</param>
    public CommandMeasure? this[string name] => _measures.Find(measure => measure.Name == name);

    /// <summary>Adds a run.</summary>
    /// <param name="run">Of this command, by a meter with the same counters each time.</param>
    public void Add(CommandRun run)
    {
        _runs.Add(run);
        foreach (CommandQuantity quantity in CommandQuantity.All)
        {
            if (quantity.Of(run) is { } value)
            {
                Record(quantity.Name, quantity.Unit, (ulong)Math.Max(value, 0));
            }
        }

        foreach (CommandCounter counter in run.Counters)
        {
            Record(counter.Name, counter.IsTime ? CommandUnit.Nanoseconds : CommandUnit.Count, counter.Value);
        }
    }

    private void Record(string name, CommandUnit unit, ulong value)
    {
        if (this[name] is not { } measure)
        {
            _measures.Add(measure = new CommandMeasure(name, unit));
        }

        measure.Add(value);
    }
}
