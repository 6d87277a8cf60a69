using System.Text;

namespace Picollo.Export.Plots;

/// <summary>
/// Writes the elements of a plot. Everything is a presentation attribute: no style, no script, no id, nothing that a page's
/// content-security policy forbids or that a second plot on the page meets.
/// </summary>
internal sealed class SvgWriter
{
    /// <summary>The width of every plot in its own units. Where it is shown 336 wide, on a small telephone, the text is about 10 pixels
    /// high.</summary>
    public const double Width = 420;

    public const double FontSize = 13;

    private readonly StringBuilder _body = new();

    /// <summary>The elements so far as an SVG element.</summary>
    /// <param name="label">What the picture is, for those who do not see it.</param>
    /// <param name="height">In the units of <see cref="Width"/>.</param>
    /// <param name="attributes">More attributes of the root.</param>
    /// <param name="head">What stands before the elements.</param>
    public string ToElement(string label, double height, string attributes, string head) =>
        $"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {Width} {Number(height)}\" {attributes} role=\"img\" "
        + $"aria-label=\"{PlotText.Encode(label)}\" font-family=\"system-ui,sans-serif\" font-size=\"{FontSize}\" "
        + $"fill=\"{PlotPalette.Text}\">{head}\n{_body}</svg>\n";

    public void Text(double x, double y, string text, string anchor = "start", string attributes = "")
    {
        if (text.Length > 0)
        {
            string place = anchor == "start" ? "" : $" text-anchor=\"{anchor}\"";
            Add($"<text x=\"{Number(x)}\" y=\"{Number(y)}\"{place}{attributes}>{PlotText.Encode(text)}</text>");
        }
    }

    /// <summary>A text that is cut to a number of letters, and in full in its tooltip.</summary>
    public void ShortText(double x, double y, string text, int letters, string attributes = "")
    {
        const int LongestTooltip = 300;
        string whole = PlotText.OneLine(text);
        string part = PlotText.Shorten(whole, letters);
        if (part == whole)
        {
            Text(x, y, whole, attributes: attributes);
            return;
        }

        string title = PlotText.Encode(PlotText.Shorten(whole, LongestTooltip));
        Add($"<text x=\"{Number(x)}\" y=\"{Number(y)}\"{attributes}><title>{title}</title>{PlotText.Encode(part)}</text>");
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

    public void Area(string path, string colour, double opacity)
    {
        if (path.Length > 0)
        {
            Add($"<path d=\"{path}\" fill=\"{colour}\" fill-opacity=\"{Number(opacity)}\"/>");
        }
    }

    /// <summary>An invisible area with a tooltip.</summary>
    public void Strip(double x, double y, double width, double height, string text) =>
        AddRectangle(x, y, width, height, "fill-opacity=\"0\"", text);

    public void Cell(double x, double y, double width, double height, string colour, double opacity, string text) =>
        AddRectangle(x, y, width, height, $"fill=\"{colour}\" fill-opacity=\"{Number(opacity)}\"", text);

    /// <summary>The lines' names, two in a row; returns where the legend ends.</summary>
    public double Legend(PlotLines lines, double top)
    {
        const double RowHeight = 18;
        const double Column = Width / 2;
        const double Sample = 26;
        const int Letters = 22;
        int place = 0;
        void Entry(string name, Action<double, double> sample)
        {
            double x = 6 + (place % 2 * Column);
            double y = top + (place / 2 * RowHeight) + 12;
            sample(x, y - 4);
            ShortText(x + Sample + 6, y, name, Letters);
            place++;
        }

        foreach (PlotLine line in lines.Own)
        {
            Entry(line.Name, (x, y) => Line($"M{Number(x)} {Number(y)}h{Sample}", PlotPalette.Stroke(line.Look)));
        }

        if (lines.Band is { } band)
        {
            string others = string.Create(CultureInfo.InvariantCulture, $"range of {band.Count:N0} more");
            Entry(others, (x, y) => Area($"M{Number(x)} {Number(y - 5)}h{Sample}v10h-{Sample}z", PlotPalette.Text, 0.2));
        }

        return top + ((place + 1) / 2 * RowHeight) + 4;
    }

    private void AddRectangle(double x, double y, double width, double height, string fill, string text) => Add(
        $"<rect x=\"{Number(x)}\" y=\"{Number(y)}\" width=\"{Number(width)}\" height=\"{Number(height)}\" "
        + $"{fill}><title>{PlotText.Encode(text)}</title></rect>");

    private void Add(string element) => _body.Append(element).Append('\n');

    private static string Number(double value) => Math.Round(value, 1).ToString("0.#", CultureInfo.InvariantCulture);
}
