namespace Picollo.Samples.Top;

/// <summary>A program that ran to its end while <c>picollo top</c> watched.</summary>
/// <param name="Id">Its process ID.</param>
/// <param name="Lines">What it printed.</param>
/// <param name="Times">What <c>time</c> prints of it.</param>
/// <param name="Busiest">The page on which it used the most CPU time.</param>
public sealed record WatchedRun(int Id, IReadOnlyList<string> Lines, Times Times, TopPage Busiest)
{
    /// <param name="program">The program.</param>
    /// <param name="nice">Its niceness; null to keep the caller's.</param>
    /// <param name="options">The options of <c>picollo top</c>.</param>
    /// <exception cref="WorkerException">It did not end, or failed, or was not seen.</exception>
    public static WatchedRun Of(AckermannProgram program, int? nice, params string[] options)
    {
        using PicolloTop top = new(nice: null, options);
        using AckermannProcess process = new(program, nice);
        Times times = process.WaitForEnd();
        TopPage page = top.Pages.MaxBy(page => page.RowsOf(program.Name).Sum(page.CpuOf))
            ?? throw new WorkerException("the program was done before picollo top had a page");
        return new WatchedRun(process.Id, process.Lines, times, page);
    }
}
