using Picollo.Metrics;

namespace Picollo.Diagnostics;

/// <summary>One thing that was measured in each run of a <see cref="CommandSeries"/>.</summary>
/// <remarks>Not thread-safe while runs are added.</remarks>
internal sealed class CommandMeasure(string name, CommandUnit unit)
{
    // The smallest difference that two commands can show. 1.6 MB.
    private const double RelativeError = 0.0001;

    private readonly List<ulong> _values = [];

    /// <summary>A counter's name, or <see cref="CommandQuantity.Name"/>.</summary>
    public string Name => name;

    /// <summary>A counter's name, or <see cref="CommandQuantity.Title"/>.</summary>
    public string Title { get; } = CommandQuantity.Find(name)?.Title ?? name;

    public CommandUnit Unit => unit;

    /// <summary>One value per run, in their order.</summary>
    public IReadOnlyList<ulong> Values => _values;

    /// <summary>The values; relative error 0.0001.</summary>
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
    /// <summary>Number of events.</summary>
    Count,
    Nanoseconds,
    Bytes,
}
