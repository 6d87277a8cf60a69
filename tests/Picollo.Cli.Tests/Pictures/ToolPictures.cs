using Picollo.Cli.Tests.Shell;

namespace Picollo.Cli.Tests.Pictures;

/// <summary>Creates the pictures of the tool in docs/ from a real terminal, if they must be replaced.</summary>
[Trait("Category", "Slow")]
public sealed class ToolPictures
{
    private const int Columns = 92;

    [FactNeeding(Need.Tmux)]
    public void The_picture_of_top_suits_a_browser() => Show("top.svg", "picollo top in a terminal", "picollo top", rows: 14, screen =>
    {
        // Four programs on two processors, so that some of them wait.
        screen.Enter("for sum in md5sum sha1sum sha256sum sha512sum; do timeout 15 $sum /dev/zero & done 2> /dev/null");
        screen.Enter("clear; $picollo top -d 2");
        screen.WaitFor("PID USER");
        Thread.Sleep(TimeSpan.FromSeconds(7));
    });

    [FactNeeding(Need.Tmux)]
    public void The_picture_of_a_comparison_suits_a_browser()
    {
        const string Command = "picollo stat -r 20 --compare 'gzip -1c numbers' 'gzip -9c numbers' > /dev/null";
        Show("stat-compare.svg", "picollo stat --compare of two gzip levels in a terminal", Command, rows: 34, screen =>
        {
            screen.Enter($"seq 200000 > numbers; clear; ${Command}");
            screen.WaitFor(text => text.Contains("max resident", StringComparison.Ordinal) && text.TrimEnd().EndsWith('$'), "the comparison");
        });
    }

    private static void Show(string name, string title, string command, int rows, Action<TmuxScreen> run)
    {
        string picture = "";
        if (Picture.MustReplace)
        {
            using TmuxScreen screen = new(Columns, rows);
            run(screen);
            string[] lines = [$"$ {command}", .. screen.StyledScreen.Split('\n')[..^1].Where(row => row.TrimEnd() != "$")];
            picture = TerminalPicture.Draw(title, lines[..(Array.FindLastIndex(lines, row => row.Trim().Length > 0) + 1)], Columns);
            screen.Press("q");
        }

        TerminalPicture.RowsOf(Picture.Show(name, picture)).First().Should().StartWith($"$ {command.Split(' ')[0]} ");
    }
}
