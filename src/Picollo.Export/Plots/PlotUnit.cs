using Picollo.Export.Text;

namespace Picollo.Export.Plots;

/// <summary>The unit of the values in a plot. Known units of time scale with the values: 30 ms, not 30M ns.</summary>
internal sealed class PlotUnit
{
    private const int MaxNameLength = 20;

    private static readonly (string Name, int Exponent)[] Times = [("s", 0), ("ms", -3), ("µs", -6), ("ns", -9), ("ps", -12)];

    private static readonly string[][] TimeNames =
    [
        ["s", "sec", "second", "seconds"],
        ["ms", "msec", "millisecond", "milliseconds"],
        ["µs", "\u03bcs", "us", "usec", "microsecond", "microseconds"],
        ["ns", "nsec", "nanosecond", "nanoseconds"],
        ["ps", "psec", "picosecond", "picoseconds"],
    ];

    // The exponent of ten relative to seconds; null for other units.
    private readonly int? _exponent;

    private PlotUnit(string name, double ratio, int? exponent) => (Name, Ratio, _exponent) = (name, ratio, exponent);

    public PlotUnit(HdrHistogramUnit unit)
    {
        (Name, Ratio) = (FittedText.Shorten(unit.Name, MaxNameLength), unit.Ratio);
        int time = Array.FindIndex(TimeNames, names => names.Contains(unit.Name, StringComparer.Ordinal));
        _exponent = time < 0 ? null : Times[time].Exponent;
    }

    /// <summary>The divisor of recorded values.</summary>
    public double Ratio { get; }

    /// <summary>The name, limited in length.</summary>
    public string Name { get; }

    public string AxisLabel => Name.Length == 0 ? "value" : Name;

    /// <summary>The label of a logarithmic axis, whose ticks have their own units (<see cref="Tick"/>).</summary>
    public string LogarithmicAxisLabel => (_exponent is null ? AxisLabel : "time") + ", logarithmic";

    /// <summary>Returns the unit in which a recorded value has one to three digits before the decimal point; this unit if it is not a unit
    /// of time.</summary>
    public PlotUnit For(double recorded)
    {
        if (_exponent is not { } own || !(Math.Abs(recorded) > 0))
        {
            return this;
        }

        const double Rounding = 1 - 1e-9;
        (string Name, int Exponent) best = Times[^1];
        foreach ((string Name, int Exponent) time in Times)
        {
            if (Math.Abs(recorded) / RatioOf(time.Exponent) >= Rounding)
            {
                best = time;
                break;
            }
        }

        return new(best.Name, RatioOf(best.Exponent), best.Exponent);

        double RatioOf(int exponent) => exponent >= own ? Ratio * Math.Pow(10, exponent - own) : Ratio / Math.Pow(10, own - exponent);
    }

    /// <summary>Returns the unit for a linear axis and the axis. With a unit of time, no tick needs a suffix.</summary>
    public (PlotUnit Unit, PlotAxis Axis) Scale(double largest, Func<PlotUnit, PlotAxis> make)
    {
        PlotUnit unit = For(largest);
        PlotAxis axis = make(unit);
        double end = Math.Max(Math.Abs(axis.Min), Math.Abs(axis.Max));
        if (end < 1000 || unit.For(end * unit.Ratio) is not { } larger || larger.Ratio == unit.Ratio)
        {
            return (unit, axis);
        }

        return (larger, make(larger));
    }

    /// <summary>Formats a recorded value with its unit: all digits, or six digits of a time.</summary>
    public string Format(ulong recorded) => _exponent is null ? WithName(PlotNumber.Value(recorded, Ratio)) : Time(recorded, Digits);

    /// <summary>Formats a difference of recorded values with its sign and unit.</summary>
    public string FormatDifference(double recorded)
    {
        string text = _exponent is null ? WithName(PlotNumber.Value(recorded / Ratio)) : Time(recorded, Digits);
        return recorded > 0 ? "+" + text : text;
    }

    /// <summary>Formats a range of recorded values with their units.</summary>
    public string Range(double from, double to) => _exponent is null
        ? $"{PlotNumber.Short(from / Ratio)} – {WithName(PlotNumber.Short(to / Ratio))}"
        : $"{Time(from, PlotNumber.Short)} – {Time(to, PlotNumber.Short)}";

    /// <summary>Formats a tick of a logarithmic axis, whose value is in this unit.</summary>
    public string Tick(double value) => _exponent is null ? PlotNumber.Short(value) : Time(value * Ratio, PlotNumber.Short);

    public string Zero => _exponent is null ? WithName("0") : "0";

    private string WithName(string text) => Name.Length == 0 ? text : $"{text} {Name}";

    private string Time(double recorded, Func<double, string> text)
    {
        PlotUnit unit = For(recorded);
        return recorded == 0 ? "0" : $"{text(recorded / unit.Ratio)} {unit.Name}";
    }

    private static string Digits(double value)
    {
        const int Significant = 6;
        int decimals = Significant - 1 - (int)Math.Floor(Math.Log10(Math.Abs(value)));
        return value.ToString("#,##0." + new string('#', Math.Clamp(decimals, 0, 2 * Significant)), CultureInfo.InvariantCulture);
    }
}
