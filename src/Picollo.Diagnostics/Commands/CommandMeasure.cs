using Picollo.Metrics;

namespace Picollo.Diagnostics;

/// <summary>One thing that was measured in each run of a <see cref="CommandSeries"/>.</summary>
/// <remarks>Not thread-safe while runs are added.</remarks>
internal sealed class CommandMeasure(string name, CommandUnit unit)
{
    // The smallest difference that two commands can show. 1.6 MB.
    private const double RelativeError = 0.0001;

    /// <summary>A counter's name, or the name of another value of <see cref="CommandRun"/>, such as <c>max resident</c>.</summary>
    public string Name => name;

    public CommandUnit Unit => unit;

    /// <summary>One value per run; relative error 0.0001.</summary>
    public HdrHistogram Histogram { get; } = HdrHistogram.Factory.WithRelativeError(RelativeError).Create();
}

/// <summary>The unit of a <see cref="CommandMeasure"/>.</summary>
internal enum CommandUnit
{
    /// <summary>Number of events.</summary>
    Count,
    Nanoseconds,
    Bytes,
}
