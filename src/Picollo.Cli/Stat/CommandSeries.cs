using Picollo.Diagnostics;

namespace Picollo.Cli.Stat;

/// <summary>The runs of a command with histograms of the measured quantities, which provide percentiles, mean and standard deviation, and
/// the size of the effect between two series (<see cref="Metrics.HdrHistogramSummary.GetEffectSize"/>).</summary>
/// <remarks>
/// <para>To compare two commands, run them alternately, so that changes of the machine affect both.</para>
/// <para>Not thread-safe.</para>
/// </remarks>
internal sealed class CommandSeries
{
    private readonly List<CommandRun> _runs = [];
    private readonly List<CommandMeasure> _measures = [];

    public CommandSeries()
    {
    }

    /// <summary>Creates a series of earlier runs, of which only the values are known.</summary>
    public CommandSeries(IEnumerable<CommandMeasure> measures) => _measures.AddRange(measures);

    /// <summary>The runs, in order.</summary>
    public IReadOnlyList<CommandRun> Runs => _runs;

    /// <summary>The measured quantities: <see cref="CommandQuantity.All"/>, then the counters in their order. Quantities that are unknown
    /// in all runs are omitted.</summary>
    public IReadOnlyList<CommandMeasure> Measures => _measures;

    /// <summary>Returns a measure by its name; null if there is none.</summary>
    /// <param name="name">The exact name.</param>
    public CommandMeasure? this[string name] => _measures.Find(measure => measure.Name == name);

    /// <summary>Adds a run.</summary>
    /// <param name="run">A run of this command. The meter must have the same counters each time.</param>
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
