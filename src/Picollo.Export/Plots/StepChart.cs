namespace Picollo.Export.Plots;

/// <summary>A vertical strip of a chart with its tooltip.</summary>
internal readonly record struct PlotStrip(double From, double To, string Text);

/// <summary>A chart of step functions over common columns: the axes, the lines, and the strips with the values as tooltips.</summary>
internal sealed class StepChart
{
    /// <summary>The space left of the axis for its labels.</summary>
    private const double Left = 58;

    private const double RightMargin = 12;

    // The width of a digit in usual fonts.
    private const double LetterWidth = 0.58 * SvgWriter.FontSize;

    /// <summary>The height of the area between the axes.</summary>
    public required double Height { get; init; }

    public required PlotAxis X { get; init; }

    public required PlotAxis Y { get; init; }

    public required string XLabel { get; init; }

    public required string YLabel { get; init; }

    /// <summary>The start of each column, and the end of the last one, in the values of <see cref="X"/>.</summary>
    public required double[] Edges { get; init; }

    public required PlotLines Lines { get; init; }

    public required IReadOnlyList<PlotStrip> Strips { get; init; }

    /// <summary>The text in the middle of an empty chart.</summary>
    public string Nothing { get; init; } = "no values";

    /// <summary>Draws the chart from <paramref name="top"/> down and returns its bottom.</summary>
    public double Draw(SvgWriter svg, double top)
    {
        const double LabelHeight = 23;
        double right = svg.Width - RightMargin;
        double axisTop = top + LabelHeight;
        double axisBottom = axisTop + Height;
        svg.Text(SvgWriter.Margin, top + 11, YLabel);
        DrawGrid(svg, axisTop, axisBottom, right);
        svg.Text((Left + right) / 2, axisBottom + 34, XLabel, "middle");
        DrawBand(svg, axisTop, axisBottom, right);
        foreach (PlotLine line in Lines.Own)
        {
            DrawLine(svg, line, axisTop, axisBottom, right);
        }

        if (Strips.Count == 0)
        {
            svg.Text((Left + right) / 2, (axisTop + axisBottom) / 2, Nothing, "middle");
        }

        foreach (PlotStrip strip in Strips)
        {
            double from = XAt(strip.From, right);
            svg.Strip(from, axisTop, XAt(strip.To, right) - from, Height, strip.Text);
        }

        return axisBottom + 42;
    }

    private double XAt(double value, double right) => Left + (X.PositionOf(value) * (right - Left));

    private double YAt(double value, double top, double bottom) => bottom - (Y.PositionOf(value) * (bottom - top));

    private void DrawGrid(SvgWriter svg, double top, double bottom, double right)
    {
        double free = double.NegativeInfinity; // the end of the last label
        foreach (PlotTick tick in X.Ticks)
        {
            double x = XAt(tick.Value, right);
            svg.GridLine(x, top, x, bottom + 4);
            double width = tick.Label.Length * LetterWidth;
            double center = Math.Min(x, svg.Width - 2 - (width / 2));
            if (center - (width / 2) >= free)
            {
                svg.Text(center, bottom + 17, tick.Label, "middle");
                free = center + (width / 2) + LetterWidth;
            }
        }

        foreach (PlotTick tick in Y.Ticks)
        {
            double y = YAt(tick.Value, top, bottom);
            svg.GridLine(Left, y, right, y);
            svg.Text(Left - 5, y + 4, tick.Label, "end");
        }
    }

    private void DrawLine(SvgWriter svg, PlotLine line, double top, double bottom, double right)
    {
        StepPath path = new();
        StepPath area = new();
        double start = 0;
        double ground = YAt(Y.IsLogarithmic ? Y.Min : 0, top, bottom);
        bool isOpen = false;
        for (int i = 0; i < line.Levels.Length; i++)
        {
            if (double.IsNaN(line.Levels[i]))
            {
                path.Break();
                area.CloseTo(start, ground);
                isOpen = false;
                continue;
            }

            (double from, double to) = (XAt(Edges[i], right), XAt(Edges[i + 1], right));
            start = isOpen ? start : from;
            isOpen = true;
            double y = YAt(line.Levels[i], top, bottom);
            path.Add(from, to, y);
            area.Add(from, to, y);
        }

        area.CloseTo(start, ground);
        if (line.IsFilled)
        {
            svg.Area(area.Data, PlotPalette.Color(line.Style), 0.2);
        }

        svg.Line(path.Data, PlotPalette.Stroke(line.Style));
    }

    private void DrawBand(SvgWriter svg, double top, double bottom, double right)
    {
        if (Lines.Band is not { } band)
        {
            return;
        }

        // The path follows the upper edge forwards and the lower edge backwards. Each part between two gaps is one area.
        foreach ((int from, int to) in Runs(band.High))
        {
            StepPath upper = new();
            StepPath lower = new();
            for (int i = from; i < to; i++)
            {
                upper.Add(XAt(Edges[i], right), XAt(Edges[i + 1], right), YAt(band.High[i], top, bottom));
                int j = from + to - 1 - i;
                lower.Add(XAt(Edges[j + 1], right), XAt(Edges[j], right), YAt(band.Low[j], top, bottom));
            }

            svg.Area($"{upper.Data}L{lower.Data.AsSpan(1)}Z", PlotPalette.Text, 0.2);
        }
    }

    private static IEnumerable<(int From, int To)> Runs(double[] levels)
    {
        for (int i = 0; i < levels.Length; i++)
        {
            int from = i;
            while (i < levels.Length && !double.IsNaN(levels[i]))
            {
                i++;
            }

            if (i > from)
            {
                yield return (from, i);
            }
        }
    }
}

/// <summary>
/// A step function as the data of an SVG path. Points are rounded to half a unit, the resolution of a screen, so the size depends on the
/// plot and not on the histogram.
/// </summary>
internal sealed class StepPath
{
    private const double StepsPerUnit = 2;

    private readonly StringBuilder _data = new();
    private int _x;
    private int _y;
    private bool _isOpen;

    public string Data
    {
        get
        {
            Flush();
            return _data.ToString();
        }
    }

    private int _flushedX;
    private int _flushedY;

    /// <summary>Adds a horizontal line, after a step if the level changes.</summary>
    public void Add(double fromX, double toX, double y)
    {
        (int from, int to, int level) = (Quantize(fromX), Quantize(toX), Quantize(y));
        if (!_isOpen)
        {
            _data.Append(CultureInfo.InvariantCulture, $"M{from / StepsPerUnit} {level / StepsPerUnit}");
            (_flushedX, _flushedY, _x, _y, _isOpen) = (from, level, from, level, true);
        }
        else if (level != _y)
        {
            // If several levels have the same x, only the last is drawn, because all are on one vertical line.
            Flush();
            _y = level;
        }

        _x = to;
    }

    public void Break()
    {
        Flush();
        _isOpen = false;
    }

    /// <summary>Closes the area between the path since the last gap and a level.</summary>
    public void CloseTo(double startX, double y)
    {
        Flush();
        if (_isOpen)
        {
            _data.Append(CultureInfo.InvariantCulture, $"V{Quantize(y) / StepsPerUnit}H{Quantize(startX) / StepsPerUnit}Z");
            _isOpen = false;
        }
    }

    private static int Quantize(double value) => (int)Math.Round(value * StepsPerUnit);

    private void Flush()
    {
        if (!_isOpen || _x == _flushedX)
        {
            return;
        }

        if (_y != _flushedY)
        {
            _data.Append(CultureInfo.InvariantCulture, $"V{_y / StepsPerUnit}");
            _flushedY = _y;
        }

        _data.Append(CultureInfo.InvariantCulture, $"H{_x / StepsPerUnit}");
        _flushedX = _x;
    }
}
