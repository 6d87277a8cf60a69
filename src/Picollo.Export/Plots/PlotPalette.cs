namespace Picollo.Export.Plots;

/// <summary>The styles of the lines of a plot: their colors and dashes.</summary>
/// <remarks>
/// The colors are those of Okabe and Ito's palette ("Color Universal Design", 2008), which color-blind people can distinguish, that have
/// a contrast of 3:1 (WCAG 2.2, 1.4.11) both on white and on the report's dark background. The palette's black is replaced by the text
/// color. A plot therefore needs no style sheet, which the content-security policy of a page could forbid. If there is a style sheet,
/// dark.css selects lighter colors for a dark background: the palette's sky blue and orange, and lighter tints of the others. From the
/// sixth line on, lines are dashed.
/// </remarks>
internal static class PlotPalette
{
    public const string Text = "currentColor";

    /// <summary>Blue, vermilion, bluish green, reddish purple, and the text color.</summary>
    public static IReadOnlyList<string> Colors { get; } = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", Text];

    /// <summary>The number of distinct styles, and of names in a legend: each color with and without dashes.</summary>
    public static int Count => 2 * Colors.Count;

    public static string Stroke(int line) =>
        $"stroke=\"{Color(line)}\" stroke-width=\"2\"" + (line % Count < Colors.Count ? "" : " stroke-dasharray=\"6 3\"");

    public static string Color(int line) => Colors[line % Colors.Count];
}
