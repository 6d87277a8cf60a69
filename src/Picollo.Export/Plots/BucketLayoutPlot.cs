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

    public static HdrHistogramPlot Make(HdrLayout layout, ulong maxValue, string title)
    {
        string heading = Invariant($"{layout.BlockSize:N0} buckets per block, precision {layout.RelativeError * 100:0.####} %");
        return HdrHistogramPlot.Compose(
            Invariant($"the buckets of the values 0 to {maxValue:N0}, block by block"),
            title.Length > 0 ? title : heading,
            Draw);

        double Draw(SvgWriter svg, double top)
        {
            uint last = layout.IndexOf(maxValue);
            for (uint block = 0; block <= last >> layout.BlockScale; block++)
            {
                DrawBlock(svg, top, layout, block, last);
                top += RowHeight;
            }

            return top;
        }
    }

    private static void DrawBlock(SvgWriter svg, double top, HdrLayout layout, uint block, uint last)
    {
        uint first = block << layout.BlockScale;
        Bucket begin = layout.BucketAt(0, (int)first, 0);
        Bucket end = layout.BucketAt(0, (int)first + layout.BlockSize - 1, 0);
        string width = begin.Step == 1 ? "exact" : Invariant($"step {begin.Step:N0}, ±{begin.Step / 2:N0}");
        double right = svg.Width - SvgWriter.Margin;
        svg.Text(Left, top + 12, Invariant($"{begin.Start:N0} – {end.End:N0}: {width}"));
        string color = PlotPalette.Color((int)block % (PlotPalette.Colors.Count - 1)); // the last one is the text color
        if (layout.BlockSize > MaxCells)
        {
            double part = Math.Min(last - first + 1, (uint)layout.BlockSize) / (double)layout.BlockSize;
            string count = Invariant($"{layout.BlockSize:N0} buckets");
            svg.Cell(Left, top + 17, part * (right - Left), CellHeight, color, 0.35, count);
            svg.Text((Left + right) / 2, top + 32, count, "middle");
            return;
        }

        double cell = (right - Left) / layout.BlockSize;
        for (uint i = 0; i < layout.BlockSize && first + i <= last; i++)
        {
            Bucket bucket = layout.BucketAt(0, (int)(first + i), 0);
            double x = Left + (i * cell);
            string values = bucket.Step == 1
                ? Invariant($"{bucket.Start:N0}")
                : Invariant($"{bucket.Start:N0} – {bucket.End:N0}, reported as {bucket.MidPoint:N0}");
            svg.Cell(x, top + 17, cell - 1, CellHeight, color, i % 2 == 0 ? 0.4 : 0.25, values);
            string start = Invariant($"{bucket.Start}");
            if (start.Length * LetterWidth < cell)
            {
                svg.Text(x + (cell / 2), top + 32, start, "middle", " font-size=\"11\" pointer-events=\"none\"");
            }
        }
    }
}
