using System.Diagnostics.CodeAnalysis;

namespace Picollo.Jitter;

/// <summary>Measures the wake-up latency of CPUs: one pinned thread each sleeps until a moment, and sees how much later it runs.</summary>
public sealed class JitterMeter : IDisposable
{
    private JitterMeter(JitterMeterOptions options) => throw new NotImplementedException();

    /// <summary>One for each measured CPU, in ascending order.</summary>
    public IReadOnlyList<CpuJitter> Cpus { get; } = [];

    /// <summary>What is not as asked, or as good as it could be, with cause and remedy, a sentence or two each: real-time priority not permitted, /dev/cpu_dma_latency not
    /// writable, memory not locked, no native library (a collection of this process's garbage then shows as latency).</summary>
    public IReadOnlyList<string> Limits { get; } = [];

    /// <summary>The wake-up that ended the measurement (<see cref="JitterMeterOptions.BreakAbove"/>); null before, and without.</summary>
    public JitterBreak? Break { get; private set; }

    /// <summary>When the measurement began.</summary>
    public DateTime StartTimeUtc { get; }

    /// <summary>Ends when every thread has ended and all samples are taken in: after the asked duration or loops, a break, or <see cref="Stop"/>.</summary>
    public Task Completion { get; } = Task.CompletedTask;

    /// <summary>Starts measuring.</summary>
    /// <param name="options">How.</param>
    /// <returns>The meter, measuring.</returns>
    /// <exception cref="MeasurementUnavailableException">Not Linux, or a CPU that is asked for is offline or not allowed to this process.</exception>
    public static JitterMeter Start(JitterMeterOptions options) => new(options);

    /// <summary>Starts measuring, where that can be done.</summary>
    /// <param name="options">How.</param>
    /// <param name="meter">The meter, or null.</param>
    /// <param name="problem">Why not, and what can be done about it; null where it succeeded.</param>
    /// <returns>Whether it measures.</returns>
    public static bool TryStart(JitterMeterOptions options, [NotNullWhen(true)] out JitterMeter? meter, [NotNullWhen(false)] out string? problem) => throw new NotImplementedException();

    /// <summary>Ends the measurement; returns when every thread has ended and all samples are taken in. Does nothing the second time.</summary>
    public void Stop() => throw new NotImplementedException();

    /// <summary><see cref="Stop"/>.</summary>
    public void Dispose() => Stop();
}
