using Picollo.Diagnostics;

namespace Picollo.Cli.Jitter;

/// <summary>What is asked for on the command line.</summary>
/// <param name="Meter">How to measure; without a handler of samples.</param>
/// <param name="Load">What runs beside it; null for nothing.</param>
/// <param name="IsLive">Shows how far it is, each second.</param>
/// <param name="InNanoseconds">Instead of microseconds.</param>
/// <param name="IsJson">JSON Lines instead of text.</param>
/// <param name="Folder">Where results go; null for nowhere.</param>
/// <param name="WithSamples">Every sample too.</param>
internal sealed record JitterOptions(
    JitterMeterOptions Meter, MeasuredCommand? Load, bool IsLive, bool InNanoseconds, bool IsJson, string? Folder, bool WithSamples);
