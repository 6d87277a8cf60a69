namespace Picollo.Cli.Jitter;

/// <summary>Shows a measurement while it runs and at its end.</summary>
internal abstract class JitterReport
{
    public virtual void Begin(IReadOnlyList<CpuResult> cpus)
    {
    }

    /// <summary>Shows the measurements until now.</summary>
    /// <param name="cpus">In the same order each time.</param>
    /// <param name="elapsed">The time since the measurement began.</param>
    public abstract void Add(IReadOnlyList<CpuResult> cpus, TimeSpan elapsed);

    /// <summary>Shows a sentence about a deviation from what was requested.</summary>
    public abstract void Note(string text);

    public abstract void End(JitterResult result);
}
