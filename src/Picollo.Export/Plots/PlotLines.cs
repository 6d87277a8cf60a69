namespace Picollo.Export.Plots;

/// <summary>A line of a chart.</summary>
/// <param name="Name">The name in the legend.</param>
/// <param name="WholeName">The name without shortening.</param>
/// <param name="Levels">A level for each column of the chart; NaN for none.</param>
/// <param name="Style">The index of the line's style in <see cref="PlotPalette"/>.</param>
/// <param name="IsFilled">Whether the area between the line and the axis is tinted.</param>
internal sealed record PlotLine(string Name, string WholeName, double[] Levels, int Style, bool IsFilled);

/// <summary>The range of several lines.</summary>
/// <param name="Count">The number of lines.</param>
/// <param name="Low">The lowest level of each column; NaN for none.</param>
/// <param name="High">The highest level of each column; NaN for none.</param>
internal sealed record PlotBand(int Count, double[] Low, double[] High);

/// <summary>The series of a chart. There is a line for each, up to the number of styles, and a band for the rest, so that the size of a
/// plot does not depend on the number of series.</summary>
internal sealed class PlotLines
{
    public List<PlotLine> Own { get; init; } = [];

    /// <summary>The range of the other series; null if every series has a line.</summary>
    public PlotBand? Band { get; private set; }

    public void Add(PlotSeries series, double[] levels, bool isFilled) => Add(series.Label, series.Name, levels, isFilled);

    public void Add(string name, string wholeName, double[] levels, bool isFilled)
    {
        if (Own.Count < PlotPalette.Count)
        {
            Own.Add(new(name, wholeName, levels, Own.Count, isFilled));
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

    /// <summary>Divides all levels, for example by the ratio of a unit.</summary>
    public void Divide(double ratio)
    {
        IEnumerable<double[]> band = Band is null ? [] : [Band.Low, Band.High];
        foreach (double[] levels in Own.Select(line => line.Levels).Concat(band))
        {
            for (int i = 0; i < levels.Length; i++)
            {
                levels[i] /= ratio;
            }
        }
    }
}
