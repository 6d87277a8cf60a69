using System.Globalization;
using Picollo.Metrics;
using static Picollo.Samples.Top.TopView;

namespace Picollo.Samples.Top;

/// <summary>The document's experiment 3: niceness in action.</summary>
internal static class Shares
{
    /// <summary>2.6 s of work for each program.</summary>
    private const int Rounds = 4;
    private static readonly TimeSpan Window = TimeSpan.FromSeconds(2);

    public static void Run(TextWriter output)
    {
        MarkdownTable shares = new("lrrrrr", ["nice", "document", "by weight", "here", "us, ni: document", "us, ni of the CPU: here"]);
        MarkdownTable times = new("lrrrr", ["nice", "document: real, user, sys", "over alone", "here: real, user, sys", "over alone"]);
        Add(shares, times, 0, 1, "55 / 45", "55.2, 44.3", ["62.09, 67.57, 0.09 s", "1.84"], ["68.07, 67.56, 0.13 s", "2.02"]);
        Add(shares, times, -1, 0, "55 / 45", "100.0, 0.0", ["", ""], ["", ""]);
        Add(shares, times, -20, 19, "nearly all / 0", "", ["35.95, 71.18, 0.17 s", "1.01"], ["71.86, 71.64, 0.09 s", "2.01"]);
        output.WriteLine(shares.ToString("Shares of one CPU between two programs, %"));
        output.Write(times.ToString("What time says of them"));
        output.WriteLine("Over alone: real time over the CPU time that the work took (in the document of each of its 2 CPUs).");
        output.WriteLine("Other programs on that CPU lengthen real times; shares are between the two alone.");
    }

    private static void Add(
        MarkdownTable shares, MarkdownTable times, int winner, int loser, string share, string states, string[] winnersTimes, string[] losersTimes)
    {
        string pair = $"{winner} / {loser}";
        double byWeight = Niceness.ShareAgainst(winner, loser);
        string predicted = Both(byWeight);
        try
        {
            Contest contest = Contest.Of(winner, loser, Rounds, Window);
            shares.Add(pair, share, predicted, Both(contest.WinnersShare), states, $"{Percent(contest.States.User)}, {Percent(contest.States.Nice)}");
            times.Add([$"{winner} beside {loser}", .. winnersTimes, .. Times(contest.Winner)]);
            times.Add([$"{loser} beside {winner}", .. losersTimes, .. Times(contest.Loser)]);
        }
        catch (WorkerException e)
        {
            shares.Add(pair, share, predicted, e.Message, states, "");
        }
    }

    private static string Both(double share) => string.Create(CultureInfo.InvariantCulture, $"{share * 100:0.00} / {(1 - share) * 100:0.00}");

    private static string[] Times(Contestant one) => one.Used is { } used
        ? [string.Create(CultureInfo.InvariantCulture, $"{one.Real.TotalSeconds:0.00}, {used.User.TotalSeconds:0.00}, {used.Kernel.TotalSeconds:0.00} s"),
            string.Create(CultureInfo.InvariantCulture, $"{one.OverAlone:0.00}")]
        : ["both ended at once", ""];
}
