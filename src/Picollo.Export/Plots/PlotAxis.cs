namespace Picollo.Export.Plots;

internal readonly record struct PlotTick(double Value, string Label);

/// <summary>An axis: its range, linear or logarithmic, and its ticks at round numbers.</summary>
internal sealed record PlotAxis(double Min, double Max, bool IsLogarithmic, IReadOnlyList<PlotTick> Ticks)
{
    private const double MinPositive = 1e-300;

    /// <summary>The position of a value: from 0 at the start of the axis to 1 at its end.</summary>
    public double PositionOf(double value)
    {
        double position = IsLogarithmic
            ? Math.Log(Math.Max(value, MinPositive) / Min) / Math.Log(Max / Min)
            : (value - Min) / (Max - Min);
        return Math.Clamp(position, 0, 1);
    }

    /// <summary>Creates a linear axis. The range is extended to round numbers.</summary>
    public static PlotAxis Linear(double min, double max, int ticks)
    {
        if (!(max > min))
        {
            (min, max) = max > 0 ? (0d, max) : max < 0 ? (max, 0d) : (0d, 1d);
        }

        double step = StepFor((max - min) / ticks);
        double first = Math.Floor((min / step) + 1e-9);
        double last = Math.Ceiling((max / step) - 1e-9);
        return new PlotAxis(first * step, last * step, false, LinearTicks(first, last, step));
    }

    /// <summary>Creates a logarithmic axis of positive numbers. By default, the label of a tick is the number with a suffix.</summary>
    public static PlotAxis Logarithmic(double min, double max, int ticks, Func<double, string>? label = null)
    {
        double decades = Math.Log10(max / min);
        if (decades < 1)
        {
            double step = StepFor((max - min) / ticks);
            return new PlotAxis(
                min, max, true, LinearTicks(Math.Ceiling((min / step) - 1e-9), Math.Floor((max / step) + 1e-9), step, label));
        }

        int stride = (int)Math.Ceiling((decades + 1) / ticks);
        double[] within = decades * 3 <= ticks ? [1, 2, 5] : [1];
        List<PlotTick> list = [];
        for (int exponent = (int)Math.Floor(Math.Log10(min) + 1e-9); exponent <= Math.Log10(max) + 1e-9; exponent++)
        {
            foreach (double digit in within)
            {
                double value = double.Parse($"{digit}E{exponent}", System.Globalization.CultureInfo.InvariantCulture);
                if (exponent % stride == 0 && value >= min * (1 - 1e-9) && value <= max * (1 + 1e-9))
                {
                    list.Add(new(value, (label ?? PlotNumber.Short)(value)));
                }
            }
        }

        return new PlotAxis(min, max, true, list);
    }

    /// <summary>Returns the same axis with a tick for 0, without the ticks below <paramref name="rest"/>.</summary>
    public PlotAxis WithZeroAt(double place, double rest) =>
        this with { Ticks = [new(place, "0"), .. Ticks.Where(tick => tick.Value >= rest * (1 - 1e-9))] };

    /// <summary>Returns the smallest of 1, 2, 2.5, 5 and 10 times a power of ten that is at least <paramref name="atLeast"/>.</summary>
    private static double StepFor(double atLeast)
    {
        double power = Math.Pow(10, Math.Floor(Math.Log10(atLeast)));
        return power * ((double[])[1, 2, 2.5, 5, 10]).First(digit => digit == 10 || digit * power >= atLeast * (1 - 1e-9));
    }

    private static List<PlotTick> LinearTicks(double first, double last, double step, Func<double, string>? label = null)
    {
        List<PlotTick> ticks = [];
        double largest = Math.Max(Math.Abs(first), Math.Abs(last)) * step;
        for (double i = first; i <= last; i++)
        {
            ticks.Add(new(i * step, label?.Invoke(i * step) ?? PlotNumber.Tick(i * step, step, largest)));
        }

        return ticks;
    }
}
