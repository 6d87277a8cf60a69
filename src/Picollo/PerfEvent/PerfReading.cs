namespace Picollo.PerfEvent;

/// <summary>What one counter stood at: its count, and for how long it was enabled and in fact counted.</summary>
internal struct PerfReading
{
    public ulong Raw;
    public ulong EnabledNanoseconds;
    public ulong RunningNanoseconds;

    /// <summary>The count as it would be, had the counter run all the time that it was enabled.</summary>
    public ulong Scaled;

    /// <summary>Adds another counter of the same event, on another thread.</summary>
    public void Add(ulong raw, ulong enabledNanoseconds, ulong runningNanoseconds)
    {
        Raw += raw;
        EnabledNanoseconds += enabledNanoseconds;
        RunningNanoseconds += runningNanoseconds;
        Scaled += PerfMath.Scale(raw, enabledNanoseconds, runningNanoseconds);
    }
}
