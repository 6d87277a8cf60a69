using Picollo.Export.Html;
using Picollo.Export.Text;

namespace Picollo.Export.Plots;

/// <summary>Writes the elements of a plot, with a width in SVG units. It uses only presentation attributes, without styles, scripts and
/// ids, so that a page's content-security policy allows the plot and several plots on a page do not conflict.</summary>
internal sealed class SvgWriter(double width)
{
    /// <summary>The width of a plot in a page. On a small phone, 360 pixels wide, the text is about 10 pixels high; in a column of 600
    /// pixels, it is as large as the page's text.</summary>
    public const double WidthInPage = 460;

    /// <summary>The width of a plot in a file, which is shown alone or across a page.</summary>
    public const double WidthInFile = 640;

    public const double FontSize = 13;

    /// <summary>The distance between two lines of text.</summary>
    public const double RowHeight = 18;

    // The width of a small letter with its spacing, in the widest common font.
    private const double LetterWidth = 8;

    public const double Margin = 6;

    private readonly StringBuilder _body = new();

    public double Width => width;

    public static int LettersIn(double width) => (int)(width / LetterWidth);

    /// <summary>Returns an SVG element with the elements so far, after the text of the head. The label is for screen readers.</summary>
    public string ToElement(string label, double height, string head) =>
        $"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {Width} {Number(height)}\" width=\"100%\" role=\"img\" "
        + $"aria-label=\"{Markup.Encode(label)}\" font-family=\"system-ui,sans-serif\" font-size=\"{FontSize}\" "
        + $"fill=\"{PlotPalette.Text}\">{head}\n{_body}</svg>\n";

    public void Text(double x, double y, string text, string anchor = "start", string attributes = "")
    {
        if (text.Length > 0)
        {
            string place = anchor == "start" ? "" : $" text-anchor=\"{anchor}\"";
            Add($"<text x=\"{Number(x)}\" y=\"{Number(y)}\"{place}{attributes}>{Markup.Encode(text)}</text>");
        }
    }

    /// <summary>Writes a text in lines of a number of letters. If it was shortened, the tooltip has the whole text. Returns the position
    /// of the next line.</summary>
    public double Lines(double x, double y, string part, string whole, int letters, string attributes = "")
    {
        const int LongestTooltip = 300;
        whole = FittedText.OneLine(whole);
        string title = part == whole ? "" : $"<title>{Markup.Encode(FittedText.Shorten(whole, LongestTooltip))}</title>";
        foreach (string line in FittedText.Wrap(part, letters).Where(line => line.Length > 0))
        {
            Add($"<text x=\"{Number(x)}\" y=\"{Number(y)}\"{attributes}>{title}{Markup.Encode(line)}</text>");
            y += RowHeight;
        }

        return y;
    }

    public void GridLine(double x1, double y1, double x2, double y2) =>
        Add($"<path d=\"M{Number(x1)} {Number(y1)}L{Number(x2)} {Number(y2)}\" stroke=\"{PlotPalette.Text}\" stroke-opacity=\".2\"/>");

    public void Line(string path, string stroke)
    {
        if (path.Length > 0)
        {
            Add($"<path d=\"{path}\" fill=\"none\" {stroke}/>");
        }
    }

    public void Area(string path, string color, double opacity)
    {
        if (path.Length > 0)
        {
            Add($"<path d=\"{path}\" fill=\"{color}\" fill-opacity=\"{Number(opacity)}\"/>");
        }
    }

    public void Rectangle(double x, double y, double width, double height, string attributes, string text) => Add(
        $"<rect x=\"{Number(x)}\" y=\"{Number(y)}\" width=\"{Number(width)}\" height=\"{Number(height)}\" "
        + $"{attributes}><title>{Markup.Encode(text)}</title></rect>");

    /// <summary>Writes an invisible rectangle with a tooltip.</summary>
    public void Strip(double x, double y, double width, double height, string text) =>
        Rectangle(x, y, width, height, "fill-opacity=\"0\"", text);

    public void Cell(double x, double y, double width, double height, string color, double opacity, string text) =>
        Rectangle(x, y, width, height, $"fill=\"{color}\" fill-opacity=\"{Number(opacity)}\"", text);

    /// <summary>Writes the names of the lines, two per row if they are short. Returns the bottom of the legend.</summary>
    public double Legend(PlotLines lines, double top)
    {
        const double Sample = 26;
        const double Space = 6;
        const double FirstLine = 12; // from the top of a row to its baseline
        double own = (Width / 2) - Margin - Sample - Space;
        int columns = lines.Own.TrueForAll(line => FittedText.LettersOf(line.Name) <= LettersIn(own)) ? 2 : 1;
        int letters = columns == 2 ? LettersIn(own) : LettersIn(Width - (2 * Margin) - Sample - Space);
        double bottom = top;
        int place = 0;
        void Entry(string name, string wholeName, Action<double, double> sample)
        {
            top = place % columns == 0 ? bottom : top;
            double x = Margin + (place % columns * Width / columns);
            sample(x, top + FirstLine - 4);
            bottom = Math.Max(bottom, Lines(x + Sample + Space, top + FirstLine, name, wholeName, letters) - FirstLine);
            bottom = Math.Max(bottom, top + RowHeight); // a name can be empty
            place++;
        }

        foreach (PlotLine line in lines.Own)
        {
            Entry(line.Name, line.WholeName, (x, y) => Line($"M{Number(x)} {Number(y)}h{Sample}", PlotPalette.Stroke(line.Style)));
        }

        if (lines.Band is { } band)
        {
            string others = string.Create(CultureInfo.InvariantCulture, $"range of {band.Count:N0} more");
            Entry(others, others, (x, y) => Area($"M{Number(x)} {Number(y - 5)}h{Sample}v10h-{Sample}z", PlotPalette.Text, 0.2));
        }

        return bottom + 4;
    }

    private void Add(string element) => _body.Append(element).Append('\n');

    private static string Number(double value) => Math.Round(value, 1).ToString("0.#", CultureInfo.InvariantCulture);
}
