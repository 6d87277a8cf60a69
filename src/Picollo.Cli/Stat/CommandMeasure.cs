using Picollo.Metrics;

namespace Picollo.Cli.Stat;

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

    /// <summary>The values of the runs, in order.</summary>
    public IReadOnlyList<ulong> Values => _values;

    /// <summary>The values with a relative error of 0.0001.</summary>
    public HdrHistogram Histogram { get; } = HdrHistogram.Factory.WithRelativeError(RelativeError).Create();

    public void Add(ulong value)
    {
        _values.Add(value);
        Histogram.Record(value);
    }
}

/// <summary>The unit of a <see cref="CommandMeasure"/>.</summary>
internal enum CommandUnit
{
    /// <summary>A number of events.</summary>
    Count,
    Nanoseconds,
    Bytes,
}
