using System.Text.Json;
using System.Text.Json.Serialization;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Export.Text;
using Picollo.Metrics;

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

    public IReadOnlyList<CommandRun> Runs => _runs;

    /// <summary>The measured quantities: <see cref="CommandQuantity.All"/>, then the counters in their order. Quantities that are unknown
    /// in all runs are omitted.</summary>
    public IReadOnlyList<CommandMeasure> Measures => _measures;

    public CommandMeasure? this[string name] => _measures.Find(measure => measure.Name == name);

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

/// <summary>A quantity that was measured in each run of a <see cref="CommandSeries"/>.</summary>
/// <remarks>Not thread-safe while runs are added.</remarks>
internal sealed class CommandMeasure(string name, CommandUnit unit)
{
    // The smallest difference that the comparison of two commands shows. The histogram takes 1.6 MB.
    private const double RelativeError = 0.0001;

    private readonly List<ulong> _values = [];

    /// <summary>The name of a counter, or <see cref="CommandQuantity.Name"/>.</summary>
    public string Name => name;

    /// <summary>The name of a counter, or <see cref="CommandQuantity.Title"/>.</summary>
    public string Title { get; } = CommandQuantity.Find(name)?.Title ?? name;

    public CommandUnit Unit => unit;

    public IReadOnlyList<ulong> Values => _values;

    /// <summary>The values with a relative error of 0.0001.</summary>
    public HdrHistogram Histogram { get; } = HdrHistogram.Factory.WithRelativeError(RelativeError).Create();

    public void Add(ulong value)
    {
        _values.Add(value);
        Histogram.Record(value);
    }
}

[JsonConverter(typeof(CommandUnitConverter))]
internal enum CommandUnit
{
    Count,
    Nanoseconds,
    Bytes,
}

internal static class CommandUnits
{
    /// <summary>Formats a value in the unit with the fewest digits.</summary>
    public static string Short(this CommandUnit unit, double value, int digits = 4) => unit switch
    {
        CommandUnit.Nanoseconds => Quantity.Time(value, digits),
        CommandUnit.Bytes => Quantity.Bytes(value, digits),
        _ => Quantity.Short(value, digits),
    };

    /// <summary>Formats a value. Counts have all digits.</summary>
    public static string Full(this CommandUnit unit, ulong value) =>
        unit == CommandUnit.Count ? Quantity.Count(value) : unit.Short(value);
}

internal sealed class CommandUnitConverter() : JsonStringEnumConverter<CommandUnit>(JsonNamingPolicy.CamelCase, allowIntegerValues: false);

/// <summary>A value of each run of a command, in addition to its counters.</summary>
/// <param name="Name">The name in JSON, in which counters have the names of <c>perf</c>.</param>
/// <param name="Title">The name in tables.</param>
/// <param name="Of">Returns the value of a run; null if it is unknown.</param>
internal sealed record CommandQuantity(string Name, string Title, CommandUnit Unit, Func<CommandRun, long?> Of)
{
    public static IReadOnlyList<CommandQuantity> All { get; } =
    [
        new("elapsedNanoseconds", "elapsed", CommandUnit.Nanoseconds, run => run.ElapsedNanoseconds),
        new("cpuNanoseconds", "CPU time", CommandUnit.Nanoseconds, run => run.Usage.Cpu.TotalNanoseconds),
        new("userNanoseconds", "user", CommandUnit.Nanoseconds, run => run.Usage.Cpu.UserNanoseconds),
        new("kernelNanoseconds", "kernel", CommandUnit.Nanoseconds, run => run.Usage.Cpu.KernelNanoseconds),
        new("maxResidentBytes", "max resident", CommandUnit.Bytes, run => run.Usage.MaxResidentBytes is > 0 and var bytes ? bytes : null),
        OfCommand("minorPageFaults", "minor page faults", usage => usage.MinorPageFaults),
        OfCommand("majorPageFaults", "major page faults", usage => usage.MajorPageFaults),
        OfCommand("voluntaryContextSwitches", "voluntary switches", usage => usage.VoluntaryContextSwitches),
        OfCommand("involuntaryContextSwitches", "involuntary switches", usage => usage.InvoluntaryContextSwitches),
    ];

    public static CommandQuantity? Find(string name) => All.FirstOrDefault(quantity => quantity.Name == name);

    // The values come from wait4(2), which reports only children.
    private static CommandQuantity OfCommand(string name, string title, Func<ResourceUsage, long> of) =>
        new(name, title, CommandUnit.Count, run => run.IsAttached ? null : of(run.Usage));
}
