namespace Picollo.Export.Plots;

/// <summary>A line of a chart.</summary>
/// <param name="Name">The name in the legend.</param>
/// <param name="Levels">A level for each column of the chart; NaN for none.</param>
/// <param name="Look">The line's number in <see cref="PlotPalette"/>.</param>
/// <param name="IsFilled">Whether the area between the line and the axis is tinted.</param>
internal sealed record PlotLine(string Name, double[] Levels, int Look, bool IsFilled);

/// <summary>The range of several lines.</summary>
/// <param name="Count">Number of lines.</param>
/// <param name="Low">The lowest level of each column; NaN for none.</param>
/// <param name="High">The highest.</param>
internal sealed record PlotBand(int Count, double[] Low, double[] High);

/// <summary>The series of a chart: a line for each, as many as there are looks, and a band for the rest, so that the size of a plot is
/// bounded whatever the number of its series.</summary>
internal sealed class PlotLines
{
    public List<PlotLine> Own { get; init; } = [];

    /// <summary>The range of the rest; null if every series has a line.</summary>
    public PlotBand? Band { get; private set; }

    public void Add(string name, double[] levels, bool isFilled)
    {
        if (Own.Count < PlotPalette.Count)
        {
            Own.Add(new(name, levels, Own.Count, isFilled));
            return;
        }

        Band = Band is null ? new(1, [.. levels], [.. levels]) : Band with { Count = Band.Count + 1 };
        for (int i = 0; i < levels.Length; i++)
        {
            // MinNumber and MaxNumber ignore NaN.
            Band.Low[i] = double.MinNumber(Band.Low[i], levels[i]);
            Band.High[i] = double.MaxNumber(Band.High[i], levels[i]);
        }
    }
}

/// <summary>How the lines of a plot look.</summary>
/// <remarks>
/// Okabe and Ito's palette, which colour-blind people tell apart ("Color Universal Design", 2008), as far as its colours have a contrast
/// of 3:1 (WCAG 2.2, 1.4.11) on white and on the report's dark ground alike; its black is the colour of the text. So a plot
/// needs no style sheet, which a page's content-security policy could forbid. Past five lines the dashes tell them apart.
/// </remarks>
internal static class PlotPalette
{
    public const string Text = "currentColor";

    /// <summary>Blue, vermillion, bluish green, reddish purple, and the text's.</summary>
    public static IReadOnlyList<string> Colours { get; } = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", Text];

    /// <summary>Number of lines with a look of their own, and of names in a legend: each colour without dashes and with.</summary>
    public static int Count => 2 * Colours.Count;

    /// <summary>The attributes of the line with this number.</summary>
    public static string Stroke(int line) =>
        $"stroke=\"{Colour(line)}\" stroke-width=\"2\"" + (line % Count < Colours.Count ? "" : " stroke-dasharray=\"6 3\"");

    public static string Colour(int line) => Colours[line % Colours.Count];
}
