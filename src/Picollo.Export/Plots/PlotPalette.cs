using System.Globalization;

namespace Picollo.Export.Plots;

/// <summary>How the lines of a plot look.</summary>
/// <remarks>
/// Okabe and Ito's palette, which colour-blind people tell apart ("Color Universal Design", 2008), as far as its colours have a contrast
/// of 3:1 (WCAG 2.2, 1.4.11) on white and on the report's dark ground alike; its black is the colour of the text. So a plot
/// needs no style sheet, which a page's content-security policy could forbid. Past five lines the dashes tell them apart.
/// </remarks>
internal static class PlotPalette
{
    public const string Text = "currentColor";
    public const string Blue = "#0072B2";
    public const string Vermillion = "#D55E00";

    /// <summary>Bluish green and reddish purple are the others.</summary>
    private static readonly string[] Colours = [Blue, Vermillion, "#009E73", "#CC79A7", Text];
    private static readonly string[] Dashes = ["", "6 3"];

    /// <summary>How many lines have a look of their own; also the number of names in a legend.</summary>
    public static int Count => Colours.Length * Dashes.Length;

    public static IReadOnlyList<string> AllColours => Colours;

    /// <summary>The attributes of the line with this number.</summary>
    public static string Stroke(int line)
    {
        string dash = Dashes[line / Colours.Length % Dashes.Length];
        string attributes = string.Create(CultureInfo.InvariantCulture, $"stroke=\"{Colour(line)}\" stroke-width=\"2\"");
        return dash.Length == 0 ? attributes : $"{attributes} stroke-dasharray=\"{dash}\"";
    }

    public static string Colour(int line) => Colours[line % Colours.Length];
}
