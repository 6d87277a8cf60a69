namespace Picollo.Cli.Jitter;

/// <summary>How a measurement is shown, as it goes and at its end.</summary>
internal abstract class JitterReport
{
    public abstract void Begin(IReadOnlyList<CpuResult> cpus);

    /// <summary>What is measured by now.</summary>
    /// <param name="cpus">In the same order each time.</param>
    /// <param name="elapsed">Since the measurement began.</param>
    public abstract void Add(IReadOnlyList<CpuResult> cpus, TimeSpan elapsed);

    /// <summary>A sentence on what is not as it was asked for.</summary>
    public abstract void Note(string text);

    public abstract void End(JitterResult result);
}
