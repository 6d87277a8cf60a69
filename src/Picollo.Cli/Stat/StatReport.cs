using Picollo.Diagnostics;

namespace Picollo.Cli.Stat;

/// <summary>Writes what was measured.</summary>
internal abstract class StatReport
{
    /// <summary>A run of a command, when it has ended.</summary>
    /// <param name="command">Its number, 0 or 1.</param>
    /// <param name="run">What it took.</param>
    public abstract void Add(int command, CommandRun run);

    /// <summary>The summary.</summary>
    /// <param name="series">The runs of each command.</param>
    /// <param name="notes">What cannot be told here, and why; null for nothing.</param>
    /// <param name="isInterrupted">Whether there are fewer runs than were asked for, or the one was cut short.</param>
    public abstract void End(IReadOnlyList<CommandSeries> series, IEnumerable<string?> notes, bool isInterrupted);
}
