using static System.FormattableString;

namespace Picollo.Export.Plots;

/// <summary>
/// Draws the buckets of a precision, with a row for each block and a cell for each bucket. It shows the idea of the layout: all rows have
/// the same number of cells, and each row covers as many values as all rows before it.
/// </summary>
internal static class BucketLayoutPlot
{
    private const double Left = SvgWriter.Margin;
    private const double RowHeight = 44;
    private const double CellHeight = 22;

    /// <summary>The maximum number of cells in a row; more would be too narrow to draw.</summary>
    private const int MaxCells = 64;

    // A cell shows the first value of its bucket if there is enough space.
    private const double LetterWidth = 7;

    public static HdrHistogramPlot Make(HdrHistogramLayout layout, ulong maxValue, string title)
    {
        string heading = Invariant($"{layout.BlockSize:N0} buckets per block, precision {layout.RelativeError * 100:0.####} %");
        return HdrHistogramPlot.Compose(
            Invariant($"the buckets of the values 0 to {maxValue:N0}, block by block"),
            title.Length > 0 ? title : heading,
            Draw);

        double Draw(SvgWriter svg, double top)
        {
            int last = layout.GetIndex(maxValue);
            for (int first = 0; first <= last; first += layout.BlockSize)
            {
                DrawBlock(svg, top, layout, first, last);
                top += RowHeight;
            }

            return top;
        }
    }

    private static void DrawBlock(SvgWriter svg, double top, HdrHistogramLayout layout, int first, int last)
    {
        ulong step = layout.GetStep(first);
        ulong end = layout.GetEnd(first + layout.BlockSize - 1);
        string width = step == 1 ? "exact" : Invariant($"step {step:N0}, ±{step / 2:N0}");
        double right = svg.Width - SvgWriter.Margin;
        svg.Text(Left, top + 12, Invariant($"{layout.GetStart(first):N0} – {end:N0}: {width}"));
        string color = PlotPalette.Color(first / layout.BlockSize % (PlotPalette.Colors.Count - 1)); // the last one is the text color
        if (layout.BlockSize > MaxCells)
        {
            double part = Math.Min(last - first + 1, layout.BlockSize) / (double)layout.BlockSize;
            string count = Invariant($"{layout.BlockSize:N0} buckets");
            svg.Cell(Left, top + 17, part * (right - Left), CellHeight, color, 0.35, count);
            svg.Text((Left + right) / 2, top + 32, count, "middle");
            return;
        }

        double cell = (right - Left) / layout.BlockSize;
        for (int i = 0; i < layout.BlockSize && first + i <= last; i++)
        {
            ulong start = layout.GetStart(first + i);
            double x = Left + (i * cell);
            string values = step == 1
                ? Invariant($"{start:N0}")
                : Invariant($"{start:N0} – {layout.GetEnd(first + i):N0}, reported as {layout.GetMidpoint(first + i):N0}");
            svg.Cell(x, top + 17, cell - 1, CellHeight, color, i % 2 == 0 ? 0.4 : 0.25, values);
            string text = Invariant($"{start}");
            if (text.Length * LetterWidth < cell)
            {
                svg.Text(x + (cell / 2), top + 32, text, "middle", " font-size=\"11\" pointer-events=\"none\"");
            }
        }
    }
}
