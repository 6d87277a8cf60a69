namespace Picollo.Scheduling;

/// <summary>A task that runs now. Immutable; equal if all values are.</summary>
public readonly record struct CpuRunningTask
{
    internal CpuRunningTask(string name, TimeSpan sliceLength, TimeSpan overrun)
    {
        Name = name;
        SliceLength = sliceLength;
        Overrun = overrun;
    }

    /// <summary>The task's name.</summary>
    public string Name { get; }

    /// <summary>Time since it got its worker.</summary>
    public TimeSpan SliceLength { get; }

    /// <summary>Time since it was asked to give up its worker; zero if it was not.</summary>
    public TimeSpan Overrun { get; }
}
