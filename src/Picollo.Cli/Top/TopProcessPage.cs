using Picollo.Export.Text;
using Picollo.Metrics;

namespace Picollo.Cli.Top;

internal static class TopProcessPage
{
    private const double StepsPerPercent = CpuHistory.StepsPerCpu / 100;
    private const double NanosecondsPerMillisecond = 1e6;
    private const int MaxCommandLines = 4; // lines
    private const int MaxBarWidth = 40;
    private const int BarLabelWidth = 24;

    /// <summary>The upper bounds of the bars, in percent of a CPU. The first bar is for 0.</summary>
    private static readonly int[] Edges = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000];

    /// <param name="words">The command line of the process; null if it is unknown.</param>
    /// <param name="shares">The CPU shares over the session (<see cref="CpuHistory.Find"/>); null if there are none yet.</param>
    public static List<ScreenLine> Render(
        TopRow process, IEnumerable<TopRow> threads, string[]? words, ReadOnlyHdrHistogram? shares, int columns)
    {
        string command = words is { Length: > 0 } ? ForeignText.Clean(string.Join(' ', words)) : $"[{ForeignText.Clean(process.Name)}]";
        List<ScreenLine> lines =
        [
            new(
                Invariant($"{process.Id} {ForeignText.Clean(process.Name)}, user {ForeignText.Clean(process.User)}: ")
                + Invariant($"state {process.State ?? '?'}, nice {process.Nice}"),
                LineStyle.Bold),
            .. CellText.Fold(command, columns).Take(MaxCommandLines).Select(line => new ScreenLine(line)),
            new(Invariant(
                $"now: {Percent(process.Share)} %CPU, {Percent(process.WaitShare)} %WAIT; {TimeOf(process)} of CPU time since its start")),
            new(""),
        ];
        AddShares(lines, shares, columns);
        lines.Add(new(""));
        lines.Add(new("    TID S  %CPU %WAIT     TIME+ THREAD", LineStyle.Reverse));
        foreach (TopRow thread in threads.OrderByDescending(thread => thread.Share).ThenBy(thread => thread.Id))
        {
            lines.Add(new(
                Invariant($"{thread.Id,7} {thread.State ?? '?'} {Percent(thread.Share),5} {Percent(thread.WaitShare),5} ")
                + Invariant($"{TimeOf(thread),9} {ForeignText.Clean(thread.Name)}")));
        }

        return lines;
    }

    private static void AddShares(List<ScreenLine> lines, ReadOnlyHdrHistogram? shares, int columns)
    {
        if (shares is null || shares.TotalCount == 0)
        {
            lines.Add(new("no CPU shares measured yet"));
            return;
        }

        double[] ranks = [50, 90, 99, 100];
        ulong[] values = new ulong[ranks.Length];
        shares.GetPercentileValues(ranks, values);
        double total = shares.TotalCount;
        lines.Add(new(
            Invariant($"%CPU over {Quantity.Time(total * NanosecondsPerMillisecond)}: ")
            + Invariant($"p50 {values[0] / StepsPerPercent:0.0}, p90 {values[1] / StepsPerPercent:0.0}, ")
            + Invariant($"p99 {values[2] / StepsPerPercent:0.0}, max {values[3] / StepsPerPercent:0.0}")));
        int barWidth = Math.Clamp(columns - BarLabelWidth, 0, MaxBarWidth);
        ulong above = 0;
        for (int i = 0; i < Edges.Length && above <= values[^1]; i++)
        {
            ulong last = (ulong)(Edges[i] * StepsPerPercent);
            double part = shares.GetCountBetween(above, last) / total;
            string range = i == 0 ? "0" : Invariant($"{Edges[i - 1]}-{Edges[i]}");
            int length = part > 0 ? Math.Max((int)Math.Round(part * barWidth), 1) : 0;
            lines.Add(new(Invariant($"{range,12} {Quantity.Percent(part),7} {new string('#', Math.Min(length, barWidth))}").TrimEnd()));
            above = last + 1;
        }
    }

    private static string Percent(double? share) => share is { } known ? Invariant($"{known * 100:0.0}") : Quantity.MissingInText;

    private static string TimeOf(in TopRow row)
    {
        StringBuilder text = new();
        TopNumbers.AppendTime(text, row.Usage.Total, 9);
        return text.ToString().TrimStart();
    }
}
