using Picollo.Diagnostics;

namespace Picollo.Cli.Stat;

/// <summary>What the command line of <c>picollo stat</c> asks for.</summary>
/// <param name="Commands">One, or the two that are compared.</param>
/// <param name="Events">As perf names them; null for the usual ones.</param>
internal sealed record StatOptions(
    IReadOnlyList<MeasuredCommand> Commands, string? Events, int Runs, bool PerThread, bool IsJson, string? OutputPath);
