namespace Picollo.Samples.Top;

/// <summary>A complete run of a program under <c>picollo top</c>.</summary>
/// <param name="Id">The process ID.</param>
/// <param name="Lines">The printed lines.</param>
/// <param name="Times">The times that <c>time</c> prints.</param>
/// <param name="Busiest">The page on which the program used the most CPU time.</param>
public sealed record WatchedRun(int Id, IReadOnlyList<string> Lines, Times Times, TopPage Busiest)
{
    /// <summary>Runs a program and <c>picollo top</c>.</summary>
    /// <param name="program">The program.</param>
    /// <param name="nice">The niceness, or <see langword="null"/> to keep that of the caller.</param>
    /// <param name="options">The options of <c>picollo top</c>.</param>
    /// <exception cref="WorkerException">The program did not exit, failed, or is not on a page.</exception>
    public static WatchedRun Of(AckermannProgram program, int? nice, params string[] options)
    {
        using PicolloTop top = new(nice: null, options);
        using AckermannProcess process = new(program, nice);
        Times times = process.WaitForEnd();
        TopPage page = top.Pages.MaxBy(page => page.RowsOf(program.Name).Sum(page.CpuOf))
            ?? throw new WorkerException("the program exited before picollo top printed a page");
        return new WatchedRun(process.Id, process.Lines, times, page);
    }
}
