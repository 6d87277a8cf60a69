using System.Globalization;
using Picollo.Metrics;

namespace Picollo.Samples.Top;

/// <summary>The document's experiment 3: niceness in action.</summary>
public static class Shares
{
    /// <summary>The largest second argument. It causes a quarter of the document's work, so that the six runs take about 15 s.</summary>
    private const int Largest = 12;

    private const int MaxPhases = 12;

    private static readonly Pair[] Pairs =
    [
        new(-20, 19, "nearly all", "0", "35.95, 71.18, 0.17", "71.86, 71.64, 0.09"),
        new(0, 1, "55", "45", "62.09, 67.57, 0.09", "68.07, 67.56, 0.13"),
        new(-1, 0, "55", "45", "", ""),
    ];

    public static void Run(TextWriter output) => Run(output, Largest);

    /// <summary>Runs the experiment with another size of the programs.</summary>
    public static void Run(TextWriter output, int largest)
    {
        MarkdownTable times = new(
            "lrrrrr", ["program", "document: real, user, sys, s", "measured: real, user, sys, s", "%CPU of both: document", "by weight", "measured"]);
        foreach (Pair pair in Pairs)
        {
            if (!Niceness.IsPermitted(pair.Low, out string? reason))
            {
                output.WriteLine($"Niceness {pair.Low} and {pair.High} skipped: {reason}.");
                output.WriteLine();
                continue;
            }

            Run(output, times, pair, pair.Low, pair.High, largest);
            Run(output, times, pair, pair.High, pair.Low, largest);
        }

        output.WriteLine(times.ToString($"Output of time (measured with ackermann(3, {largest}), in the document with 13)"));
        output.WriteLine("%CPU of both: the CPU time of the program as a percentage of the CPU time of both programs, while both run.");
    }

    private static void Run(TextWriter output, MarkdownTable times, Pair pair, int first, int second, int largest)
    {
        Contest contest = Contest.Of(first, second, largest);
        output.WriteLine($"---- niceness {first}, then {second}");
        output.WriteLine();
        PrintPage(output, contest);
        output.WriteLine(Phases(contest));
        foreach (Contestant one in new[] { contest.First, contest.Second })
        {
            bool isLow = one.Nice == pair.Low;
            int other = isLow ? pair.High : pair.Low;
            Print(output, one, other, largest);
            times.Add(
                $"{one.Nice} against {other}, started {(one == contest.First ? "first" : "second")}",
                isLow ? pair.LowTimes : pair.HighTimes,
                string.Create(CultureInfo.InvariantCulture, $"{one.Times.Real.TotalSeconds:0.00}, {one.Times.User.TotalSeconds:0.00}, {one.Times.System.TotalSeconds:0.00}"),
                isLow ? pair.LowShare : pair.HighShare,
                Text(Niceness.ShareAgainst(one.Nice, other) * 100),
                Text(Share(contest, one)));
        }
    }

    /// <summary>Prints the page on which the smaller of the two CPU shares is largest.</summary>
    private static void PrintPage(TextWriter output, Contest contest)
    {
        if (contest.Pages.MaxBy(page => Math.Min(Cpu(page, contest.First), Cpu(page, contest.Second))) is not { } page)
        {
            return;
        }

        output.WriteLine($"$ picollo top -b -d {Text(Contest.PageSeconds)}");
        string?[] lines = [.. page.States, page.Header, page.RowOf(contest.First.Id), page.RowOf(contest.Second.Id)];
        foreach (string line in lines.OfType<string>())
        {
            output.WriteLine(line);
        }

        output.WriteLine();
    }

    private static string Phases(Contest contest)
    {
        MarkdownTable table = new("rrrrr", ["s", "us", "ni", $"%CPU at {contest.First.Nice}", $"%CPU at {contest.Second.Nice}"]);
        int step = ((contest.Pages.Count - 1) / MaxPhases) + 1;
        for (int i = 0; i < contest.Pages.Count; i += step)
        {
            TopPage page = contest.Pages[i];
            table.Add(
                Text((i + 1) * Contest.PageSeconds),
                Text(page.PercentOf("us").FirstOrDefault()),
                Text(page.PercentOf("ni").FirstOrDefault()),
                Text(Cpu(page, contest.First)),
                Text(Cpu(page, contest.Second)));
        }

        return table.ToString("Phases, %");
    }

    private static void Print(TextWriter output, Contestant one, int other, int largest)
    {
        output.WriteLine($"$ time nice -n {one.Nice} ./{AckermannProgram.MultiName} {largest}");
        output.WriteLine("...");
        foreach (string line in one.Lines.TakeLast(4))
        {
            output.WriteLine(line);
        }

        if (one.LinesAhead is { } ahead)
        {
            output.WriteLine($"It printed {ahead} of its {one.Lines.Count} lines before the program with niceness {other} exited.");
        }

        output.WriteLine();
    }

    /// <summary>Returns the CPU time of one program in percent of the CPU time of both, over the pages on which both run.</summary>
    private static double Share(Contest contest, Contestant one)
    {
        TopPage[] both = [.. contest.Pages.Where(page => Cpu(page, contest.First) > 0 && Cpu(page, contest.Second) > 0)];
        return 100 * both.Sum(page => Cpu(page, one)) / both.Sum(page => Cpu(page, contest.First) + Cpu(page, contest.Second));
    }

    private static double Cpu(TopPage page, Contestant one) => page.CpuOf(page.RowOf(one.Id));

    private static string Text(double number) => number.ToString("0.0", CultureInfo.InvariantCulture);

    private sealed record Pair(int Low, int High, string LowShare, string HighShare, string LowTimes, string HighTimes);
}
