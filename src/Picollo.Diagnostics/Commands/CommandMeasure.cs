using Picollo.Metrics;

namespace Picollo.Diagnostics;

/// <summary>One thing that was measured in each run of a <see cref="CommandSeries"/>.</summary>
/// <remarks>Not thread-safe while runs are added.</remarks>
public sealed class CommandMeasure
{
    // Two commands are told apart where they differ by more than this. 1.6 MB.
    private const double RelativeError = 0.0001;

    internal CommandMeasure(string name, CommandUnit unit)
    {
        Name = name;
        Unit = unit;
        Histogram = HdrHistogram.Factory.WithRelativeError(RelativeError).Create();
    }

    /// <summary>A counter's name, or in words what <see cref="CommandRun"/> tells besides, such as <c>max resident</c>.</summary>
    public string Name { get; }

    /// <summary>What its values are.</summary>
    public CommandUnit Unit { get; }

    /// <summary>A value a run; relative error 0.0001.</summary>
    public HdrHistogram Histogram { get; }
}

/// <summary>What the values of a <see cref="CommandMeasure"/> are.</summary>
public enum CommandUnit
{
    /// <summary>So many events.</summary>
    Count,

    /// <summary>Nanoseconds.</summary>
    Nanoseconds,

    /// <summary>Bytes.</summary>
    Bytes,
}
