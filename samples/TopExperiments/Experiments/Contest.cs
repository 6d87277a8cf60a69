namespace Picollo.Samples.Top;

/// <summary>Two <c>ackermann_multi</c> programs with different niceness, started in quick succession, on all CPUs.</summary>
/// <remarks>
/// Niceness has an effect only within a scheduling group. With autogroups (sched(7)), every session is a group, so programs in two terminals
/// share the CPUs evenly, regardless of their niceness. Children of one process are in the same session.
/// </remarks>
/// <param name="First">The program that was started first.</param>
/// <param name="Second">The program that was started second.</param>
/// <param name="Pages">The pages of <c>picollo top</c> on which at least one program runs.</param>
public sealed record Contest(Contestant First, Contestant Second, IReadOnlyList<TopPage> Pages)
{
    /// <summary>The time between two pages, in seconds.</summary>
    public const double PageSeconds = 0.5;

    /// <summary>Runs both programs until they exit.</summary>
    /// <exception cref="WorkerException">A program did not exit, or failed.</exception>
    public static Contest Of(int firstNice, int secondNice, int largest)
    {
        // Runs at the lower niceness of the two programs, so that picollo top gets enough CPU time.
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
/// <param name="Nice">The niceness.</param>
/// <param name="Id">The process ID.</param>
/// <param name="Times">The times that <c>time</c> prints.</param>
/// <param name="Lines">The printed lines.</param>
/// <param name="LinesAhead">The number of lines that were printed before the program with the lower niceness exited, or <see langword="null"/> for
/// that program.</param>
public sealed record Contestant(int Nice, int Id, Times Times, IReadOnlyList<string> Lines, int? LinesAhead);
