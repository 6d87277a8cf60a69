namespace Picollo.Export.Plots;

/// <summary>A line of a chart. It has a level for each column; NaN for none. Its style is an index in <see cref="PlotPalette"/>.</summary>
internal sealed record PlotLine(string Name, string WholeName, double[] Levels, int Style, bool IsFilled);

/// <summary>The range of several lines: the lowest and the highest level of each column; NaN for none.</summary>
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
