using Picollo.Diagnostics;

namespace Picollo.Cli.Stat;

/// <summary>Writes the results.</summary>
internal abstract class StatReport
{
    /// <summary>Writes a run of a command when it has ended.</summary>
    /// <param name="command">The command's number, 0 or 1.</param>
    /// <param name="run">The run.</param>
    public virtual void Add(int command, CommandRun run)
    {
    }

    /// <summary>Writes the summary.</summary>
    /// <param name="series">The runs of each command.</param>
    /// <param name="notes">What is not available here, and why; null entries are ignored.</param>
    /// <param name="isInterrupted">Whether there are fewer runs than requested, or the only one was cut short.</param>
    public abstract void End(IReadOnlyList<CommandSeries> series, IEnumerable<string?> notes, bool isInterrupted);
}
