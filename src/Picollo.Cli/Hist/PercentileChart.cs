using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>Draws a percentile distribution as a text chart: the value at each rank. Each additional nine has the same width.</summary>
internal sealed class PercentileChart
{
    private const int MaxRows = 10;
    private const int MinRows = 3;
    private const int LinesAround = 3; // the title, the axis and its labels
    private const int LabelWidth = 9;
    private const int MaxNines = 10;

    /// <summary>The ratio of the largest value to the median above which the axis is logarithmic, because the median would not be visible
    /// on a linear axis.</summary>
    private const double LinearRange = 1000;

    // Eighths of a cell. A value at the start of the axis is drawn as one eighth, so that it is visible.
    private const string Eighths = " ▁▂▃▄▅▆▇█";

    private readonly double _ratio;
    private readonly double _nines;
    private readonly double _min;
    private readonly double _max;
    private readonly bool _isLogarithmic;
    private readonly int _columns;
    private readonly int _rows;

    /// <summary>Computes the axes that all charts share.</summary>
    /// <param name="all">The histograms to draw; at least one has values.</param>
    /// <param name="ratio">The divisor that converts recorded values to displayed values.</param>
    /// <param name="width">The width of the terminal in columns.</param>
    /// <param name="height">The height of the terminal in rows, which limits the height of the charts; null if the output is not a
    /// terminal.</param>
    public PercentileChart(IReadOnlyList<HdrHistogram> all, double ratio, int width, int? height)
    {
        _rows = height is { } lines ? Math.Clamp(((lines - 1) / all.Count) - LinesAround, MinRows, MaxRows) : MaxRows;
        HdrHistogram[] some = [.. all.Where(histogram => histogram.TotalCount > 0)];
        _ratio = ratio;
        _columns = Math.Min(width, 80) - LabelWidth - 2;

        _nines = some.Max(NinesOf);
        ulong largest = some.Max(histogram => histogram.GetPercentileValue(100));
        ulong median = some.Min(histogram => Math.Max(histogram.GetPercentileValue(50), 1));
        _isLogarithmic = largest > median * LinearRange;
        _max = Math.Max(largest, 1);
        ulong smallest = some.Min(histogram => histogram.GetPercentileValue(0));
        _min = _isLogarithmic ? Math.Max(smallest, 1) : largest - smallest < largest / 2 && largest > smallest ? smallest : 0;
    }

    public void Write(TextWriter output, HdrHistogram histogram, string title)
    {
        output.WriteLine(title + (_isLogarithmic ? ", logarithmic" : ""));
        double[] heights = HeightsOf(histogram);
        for (int row = _rows - 1; row >= 0; row--)
        {
            output.Write(LabelOf(row).PadLeft(LabelWidth));
            output.Write(" ┤");
            output.WriteLine(Row(heights, row).TrimEnd());
        }

        WriteRanks(output);
    }

    // The largest of n values is placed at its mid-rank, 1 − 1/2n.
    private static double NinesOf(HdrHistogram histogram) => Math.Clamp(Math.Log10(2.0 * histogram.TotalCount), 1, MaxNines);

    private string Row(double[] heights, int row) => string.Concat(heights.Select(height =>
    {
        int eighths = double.IsNaN(height) ? 0 : Math.Max((int)Math.Round(height * _rows * 8), 1) - (row * 8);
        return Eighths[Math.Clamp(eighths, 0, 8)];
    }));

    // NaN where there is no value.
    private double[] HeightsOf(HdrHistogram histogram)
    {
        if (histogram.TotalCount == 0)
        {
            return [.. Enumerable.Repeat(double.NaN, _columns)];
        }

        double[] ranks = [.. Enumerable.Range(1, _columns).Select(i => 100 * (1 - Math.Pow(10, -_nines * i / _columns)))];
        ulong[] values = new ulong[_columns];
        histogram.GetPercentileValues(ranks, values);
        double ownNines = NinesOf(histogram);
        return [.. values.Select((value, i) => _nines * i / _columns < ownNines ? PositionOf(value) : double.NaN)];
    }

    private double PositionOf(ulong value)
    {
        double position = _isLogarithmic ? Math.Log(Math.Max(value, _min) / _min) / Math.Log(_max / _min) : (value - _min) / (_max - _min);
        return Math.Clamp(position, 0, 1);
    }

    // Labels are at both ends of the axis and in its middle.
    private string LabelOf(int row)
    {
        int middle = _rows / 2;
        double position = row == _rows - 1 ? 1 : row == middle ? (middle + 0.5) / _rows : row == 0 ? 0 : double.NaN;
        return double.IsNaN(position) ? ""
            : Short((_isLogarithmic ? _min * Math.Pow(_max / _min, position) : _min + ((_max - _min) * position)) / _ratio);
    }

    private void WriteRanks(TextWriter output)
    {
        StringBuilder ticks = new(new string('─', _columns));
        StringBuilder labels = new();
        foreach (double rank in (ReadOnlySpan<double>)[0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999, 99.9999999])
        {
            int column = (int)Math.Round((2 - Math.Log10(100 - rank)) / _nines * _columns);
            string label = rank.ToString("0.#######", CultureInfo.InvariantCulture);
            if ((labels.Length == 0 || column > labels.Length) && column + label.Length <= _columns)
            {
                ticks[column] = '┬';
                labels.Append(' ', column - labels.Length).Append(label);
            }
        }

        string margin = new(' ', LabelWidth);
        output.WriteLine($"{margin} └{ticks}");
        output.WriteLine($"{margin}  {labels}{(labels.Length + 2 <= _columns ? " %" : "")}");
    }

    internal static string Short(double value)
    {
        const string Suffixes = "kMGTPE";
        int thousands = 0;
        for (; value >= 999.5 && thousands < Suffixes.Length; thousands++)
        {
            value = Math.Max(value / 1000, 1); // 999.5 and more are rounded up
        }

        string digits = value switch
        {
            0 => "0",
            < 0.001 or >= 999.5 => value.ToString("0.##E+0", CultureInfo.InvariantCulture),
            < 1 => value.ToString("0.####", CultureInfo.InvariantCulture),
            < 9.995 => value.ToString("0.##", CultureInfo.InvariantCulture),
            < 99.95 => value.ToString("0.#", CultureInfo.InvariantCulture),
            _ => value.ToString("0", CultureInfo.InvariantCulture),
        };
        return thousands == 0 ? digits : digits + Suffixes[thousands - 1];
    }
}
