using System.Xml.Linq;
using Picollo.Cli.Stat;
using Picollo.Cli.Tests.Shell;

namespace Picollo.Cli.Tests.Pictures;

/// <summary>Creates and checks the pictures of the tool in docs/, from a real terminal.</summary>
[Trait("Category", "Slow")]
public sealed class ToolPictures
{
    private const int Columns = 92;

    [FactNeeding(Need.Tmux)]
    public void The_picture_of_top_has_the_current_headings()
    {
        using TmuxScreen screen = new(Columns, rows: 14);
        if (Picture.MustReplace)
        {
            // Four programs on two processors, so that some of them wait.
            screen.Enter("for sum in md5sum sha1sum sha256sum sha512sum; do timeout 15 $sum /dev/zero & done 2> /dev/null");
        }

        screen.Enter("clear; $picollo top -d 2");
        screen.WaitFor("PID USER");
        if (Picture.MustReplace)
        {
            Thread.Sleep(TimeSpan.FromSeconds(7));
        }

        string[] rows = StyledRows(screen);
        XElement shown = Picture.Show("top.svg", TerminalPicture.Draw("picollo top in a terminal", ["$ picollo top", .. rows], Columns));

        screen.Press("q");
        HeadingsOf(TerminalPicture.RowsOf(shown)).Should().Contain("%WAIT").And.Equal(HeadingsOf(rows.Select(WithoutStyle)));
        foreach (string label in new[] { "Tasks:", "%Cpu(s):", "MiB Mem :", "MiB Swap:" })
        {
            rows.Should().Contain(row => row.StartsWith(label, StringComparison.Ordinal));
            TerminalPicture.RowsOf(shown).Should().Contain(row => row.StartsWith(label, StringComparison.Ordinal));
        }
    }

    [FactNeeding(Need.Tmux)]
    public void The_picture_of_a_comparison_has_the_current_rows()
    {
        int runs = Picture.MustReplace ? 20 : 2;
        using TmuxScreen screen = new(Columns, rows: 34);
        screen.Enter($"seq 200000 > numbers; clear; $picollo stat -r {runs} --compare 'gzip -1c numbers' 'gzip -9c numbers' > /dev/null");
        screen.WaitFor(text => text.Contains("max resident", StringComparison.Ordinal) && text.TrimEnd().EndsWith('$'), "the comparison");

        string[] rows = StyledRows(screen);
        rows = ["$ picollo stat -r 20 --compare 'gzip -1c numbers' 'gzip -9c numbers' > /dev/null", .. rows.Where(row => row.TrimEnd() != "$")];
        int end = Array.FindLastIndex(rows, row => row.Trim().Length > 0) + 1;
        XElement shown = Picture.Show(
            "stat-compare.svg", TerminalPicture.Draw("picollo stat --compare of two gzip levels in a terminal", rows[..end], Columns));

        Names(TerminalPicture.RowsOf(shown)).Should().StartWith("elapsed").And.Contain("max resident")
            .And.Equal(Names(rows[..end].Select(WithoutStyle)));
        HeadOf(TerminalPicture.RowsOf(shown)).Should().Equal(HeadOf(rows.Select(WithoutStyle)));

        // The widths of columns depend on the values of the run.
        static string[] HeadOf(IEnumerable<string> rows) => rows.Single(row => row.Contains("A mean", StringComparison.Ordinal))
            .Split(' ', StringSplitOptions.RemoveEmptyEntries);
    }

    private static string[] StyledRows(TmuxScreen screen) => screen.StyledScreen.Split('\n')[..^1];

    private static string WithoutStyle(string row) => string.Concat(TerminalPicture.RunsOf(row).Select(run => run.Text + " "));

    private static string[] HeadingsOf(IEnumerable<string> rows) =>
        rows.Single(row => row.Contains("COMMAND", StringComparison.Ordinal)).Split(' ', StringSplitOptions.RemoveEmptyEntries);

    /// <summary>Returns the names of the rows, without the events, which depend on the machine.</summary>
    private static IEnumerable<string> Names(IEnumerable<string> rows) =>
        rows.Where(row => row.Trim().Length > 0)
            .SkipWhile(row => !row.StartsWith("elapsed", StringComparison.Ordinal))
            .TakeWhile(row => !row.StartsWith("d:", StringComparison.Ordinal))
            .Select(row => row.Split("  ", 2)[0])
            .Intersect(CommandQuantity.All.Select(quantity => quantity.Title));
}
