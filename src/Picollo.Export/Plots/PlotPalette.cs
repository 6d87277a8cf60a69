namespace Picollo.Export.Plots;

/// <summary>How the lines of a plot look.</summary>
/// <remarks>
/// Okabe and Ito's palette, which colour-blind people tell apart ("Color Universal Design", 2008), as far as its colours have a contrast
/// of 3:1 (WCAG 2.2, 1.4.11) on white and on the report's dark ground alike; its black is the colour of the text. So a plot
/// needs no style sheet, which a page's content-security policy could forbid. Where there is one, <see cref="DarkStyle"/> has lighter
/// colours on a dark ground. Past five lines the dashes tell them apart.
/// </remarks>
internal static class PlotPalette
{
    public const string Text = "currentColor";

    /// <summary>Blue, vermillion, bluish green, reddish purple, and the text's.</summary>
    public static IReadOnlyList<string> Colours { get; } = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", Text];

    /// <summary>The same on a dark ground: the palette's sky blue and orange, and lighter tints of the others.</summary>
    public static IReadOnlyList<string> DarkColours { get; } = ["#56B4E9", "#E69F00", "#2DC79A", "#E8A9CC", Text];

    /// <summary>A style sheet that exchanges them where the reader's system is dark.</summary>
    public static string DarkStyle { get; } =
        "@media screen and (prefers-color-scheme: dark) {\n"
        + string.Concat(Colours.Zip(DarkColours).Where(pair => pair.First != Text).Select(pair =>
            $"  [stroke=\"{pair.First}\"] {{ stroke: {pair.Second}; }} [fill=\"{pair.First}\"] {{ fill: {pair.Second}; }}\n"))
        + "}\n";

    /// <summary>A style sheet with the colours of a page, light or dark as the reader's system is.</summary>
    public const string PageStyle = "\n:root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; --rule: #d5d9de; }\n"
        + "@media (prefers-color-scheme: dark) { :root { --ground: #16181d; --text: #e6e8eb; --rule: #3a3f47; } }\n";

    /// <summary>Number of lines with a look of their own, and of names in a legend: each colour without dashes and with.</summary>
    public static int Count => 2 * Colours.Count;

    /// <summary>The attributes of the line with this number.</summary>
    public static string Stroke(int line) =>
        $"stroke=\"{Colour(line)}\" stroke-width=\"2\"" + (line % Count < Colours.Count ? "" : " stroke-dasharray=\"6 3\"");

    public static string Colour(int line) => Colours[line % Colours.Count];
}
