using Picollo.Diagnostics;

namespace Picollo.Cli.Jitter;

/// <summary>A measurement that has ended.</summary>
internal sealed class JitterResult
{
    public required JitterOptions Options { get; init; }

    public required DateTime StartTimeUtc { get; init; }

    public required TimeSpan Elapsed { get; init; }

    /// <summary>In ascending order.</summary>
    public required IReadOnlyList<CpuResult> Cpus { get; init; }

    public required JitterBreak? Break { get; init; }

    /// <summary>What was not as asked.</summary>
    public required IReadOnlyList<string> UnavailableReasons { get; init; }

    public required bool IsInterrupted { get; init; }

    public CpuResult Total => field ??= CpuResult.Total(Cpus);
}
