using System.Globalization;
using System.Xml.Linq;

namespace Picollo.Cli.Tests.Pictures;

/// <summary>Draws the content of a terminal as an SVG that follows the light or dark mode of the system.</summary>
internal static class TerminalPicture
{
    private const double CellWidth = 8.4;
    private const int RowHeight = 19;
    private const int Baseline = 14;
    private const int Margin = 12;

    private const string Style = """
        .back{fill:#fff;stroke:#d0d7de}.text{fill:#1f2328}.rest{fill:#fff}.bar{fill:#1f2328}.bold{font-weight:bold}
        text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
        @media (prefers-color-scheme: dark){.back{fill:#0d1117;stroke:#30363d}.text{fill:#e6edf3}.rest{fill:#0d1117}.bar{fill:#e6edf3}}
        """;

    /// <param name="title">The alternative text for screen readers.</param>
    /// <param name="rows">The rows, with the escape sequences of bold and reversed text.</param>
    /// <param name="columns">The width of the terminal, in columns.</param>
    public static string Draw(string title, IReadOnlyList<string> rows, int columns)
    {
        XNamespace svg = "http://www.w3.org/2000/svg";
        double width = (columns * CellWidth) + (2 * Margin);
        int height = (rows.Count * RowHeight) + (2 * Margin);
        XElement picture = new(
            svg + "svg",
            new XAttribute("viewBox", $"0 0 {Number(width)} {height}"),
            new XAttribute("width", Number(width)),
            new XAttribute("height", height),
            new XElement(svg + "title", title),
            new XElement(svg + "style", Style.ReplaceLineEndings("\n")),
            new XElement(svg + "rect", new XAttribute("class", "back"), new XAttribute("width", "100%"), new XAttribute("height", "100%"), new XAttribute("rx", 6)));
        for (int row = 0; row < rows.Count; row++)
        {
            int top = Margin + (row * RowHeight);
            foreach (Run run in RunsOf(rows[row]))
            {
                double left = Margin + (run.Column * CellWidth), length = run.Text.Length * CellWidth;
                if (run.IsReversed)
                {
                    picture.Add(new XElement(svg + "rect", new XAttribute("class", "bar"), At(left, top), Size(length)));
                }

                // Each run has its position and length, so that columns are aligned in any font.
                string classes = (run.IsReversed ? "rest" : "text") + (run.IsBold ? " bold" : "");
                picture.Add(new XElement(svg + "text", new XAttribute("class", classes), At(left, top + Baseline), new XAttribute("textLength", Number(length)), run.Text));
            }
        }

        return picture.ToString(SaveOptions.DisableFormatting).Replace("><", ">\n<", StringComparison.Ordinal) + "\n";
    }

    /// <summary>Returns the visible text of each row, from top to bottom.</summary>
    public static IEnumerable<string> RowsOf(XElement picture) => picture.Elements().Where(one => one.Name.LocalName == "text")
        .GroupBy(one => one.Attribute("y")!.Value, (_, runs) => string.Concat(runs.Select(run => run.Value + " ")));

    /// <summary>Splits a row where its attributes change, and omits spaces at the ends of the parts that are not visible.</summary>
    internal static IEnumerable<Run> RunsOf(string row)
    {
        bool isBold = false, isReversed = false;
        int column = 0;
        foreach (string part in $"m{row}".Split("\e["))
        {
            int end = part.IndexOf('m');
            foreach (string code in part[..end].Split(';'))
            {
                (isBold, isReversed) = code switch
                {
                    "" or "0" => (false, false),
                    "1" => (true, isReversed),
                    "7" => (isBold, true),
                    "22" => (false, isReversed),
                    "27" => (isBold, false),
                    "32" or "33" or "39" or "49" => (isBold, isReversed), // colors are omitted, because the shades of the 16 colors are not fixed
                    _ => throw new FormatException($"The picture has no attribute {code}."),
                };
            }

            string all = part[(end + 1)..], shown = isReversed ? all : all.Trim(' ');
            if (shown.Length > 0)
            {
                yield return new(column + all.IndexOf(shown, StringComparison.Ordinal), shown, isBold, isReversed);
            }

            column += all.Length;
        }
    }

    private static XAttribute[] At(double x, double y) => [new("x", Number(x)), new("y", Number(y))];

    private static XAttribute[] Size(double width) => [new("width", Number(width)), new("height", RowHeight)];

    private static string Number(double number) => number.ToString("0.##", CultureInfo.InvariantCulture);

    internal readonly record struct Run(int Column, string Text, bool IsBold, bool IsReversed);
}
