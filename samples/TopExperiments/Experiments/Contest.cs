namespace Picollo.Samples.Top;

/// <summary>Two <c>ackermann_multi</c> of different niceness, started one soon after the other, on all CPUs.</summary>
/// <remarks>
/// Nicenesses only count within a scheduling group. With autogroups (sched(7)) every session is a group, so two terminals share
/// evenly whatever the niceness; children of one process are in one session.
/// </remarks>
/// <param name="First">The one that was started first.</param>
/// <param name="Second">The other.</param>
/// <param name="Pages">The pages on which at least one of them runs.</param>
public sealed record Contest(Contestant First, Contestant Second, IReadOnlyList<TopPage> Pages)
{
    /// <summary>The time between two pages.</summary>
    public const double PageSeconds = 0.5;

    /// <summary>Runs both to their ends.</summary>
    /// <exception cref="WorkerException">One did not end, or failed.</exception>
    public static Contest Of(int firstNice, int secondNice, int largest)
    {
        // With the lower niceness of the two, so that it has its CPU time beside them.
        using PicolloTop top = new(Math.Min(firstNice, secondNice), "-d", FormattableString.Invariant($"{PageSeconds}"));
        AckermannProgram program = new(IsMulti: true, largest);
        using AckermannProcess first = new(program, firstNice);
        using AckermannProcess second = new(program, secondNice);
        AckermannProcess winner = firstNice < secondNice ? first : second;
        winner.WaitForEnd();
        int ahead = (winner == first ? second : first).Lines.Count;
        Times firstTimes = first.WaitForEnd();
        Times secondTimes = second.WaitForEnd();
        return new Contest(
            new Contestant(firstNice, first.Id, firstTimes, first.Lines, winner == first ? null : ahead),
            new Contestant(secondNice, second.Id, secondTimes, second.Lines, winner == second ? null : ahead),
            [.. top.Pages.Where(page => page.CpuOf(page.RowOf(first.Id)) + page.CpuOf(page.RowOf(second.Id)) > 0)]);
    }
}

/// <summary>One of the programs of a <see cref="Contest"/>.</summary>
/// <param name="Nice">Its niceness.</param>
/// <param name="Id">Its process ID.</param>
/// <param name="Times">What <c>time</c> prints of it.</param>
/// <param name="Lines">What it printed.</param>
/// <param name="LinesAhead">How many of its lines came before the less nice program ended; null for that one itself.</param>
public sealed record Contestant(int Nice, int Id, Times Times, IReadOnlyList<string> Lines, int? LinesAhead);
