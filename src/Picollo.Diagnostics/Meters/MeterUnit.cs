using System.Diagnostics.Metrics;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Meters;

/// <summary>The conversion of an instrument's values to integers: the factor, and the description of the integers.</summary>
internal sealed record MeterUnit(double Scale, HdrHistogramDescription Description)
{
    // The scale for fractions of an unknown unit. Up to 9.2·10¹² units remain below 2⁶³.
    private const double FractionScale = 1e6;

    // The number of nanoseconds in units of time, by their codes (https://ucum.org/ucum).
    private static readonly Dictionary<string, double> Times = new(StringComparer.Ordinal)
    {
        ["ns"] = 1,
        ["us"] = 1e3,
        ["µs"] = 1e3,
        ["μs"] = 1e3,
        ["ms"] = 1e6,
        ["s"] = 1e9,
        ["min"] = 60e9,
        ["h"] = 3600e9,
        ["d"] = 86400e9,
    };

    // The number of bytes in units of size.
    private static readonly Dictionary<string, double> Sizes = new(StringComparer.Ordinal)
    {
        ["By"] = 1,
        ["KBy"] = 1e3,
        ["kBy"] = 1e3,
        ["MBy"] = 1e6,
        ["GBy"] = 1e9,
        ["TBy"] = 1e12,
        ["KiBy"] = 1L << 10,
        ["MiBy"] = 1L << 20,
        ["GiBy"] = 1L << 30,
        ["TiBy"] = 1L << 40,
    };

    /// <summary>Returns the conversion for an instrument, with its scale in the options.</summary>
    public static MeterUnit FromInstrument(Instrument instrument, double? scale)
    {
        string unit = instrument.Unit?.Trim() ?? "";
        string help = instrument.Description ?? "";
        if (scale is { } given)
        {
            // With a configured scale, values are shown in the instrument's own unit; times are still shown in seconds and sizes in bytes.
            return Times.TryGetValue(unit, out double nanoseconds) ? Other(given, given / (nanoseconds / 1e9), "seconds")
                : Sizes.TryGetValue(unit, out double bytes) ? Other(given, given / bytes, "bytes")
                : Other(given, given, NameOf(unit));
        }

        if (Times.TryGetValue(unit, out double toNanoseconds))
        {
            return new(toNanoseconds, HdrHistogramDescription.Nanoseconds with { Help = help });
        }

        if (Sizes.TryGetValue(unit, out double toBytes))
        {
            return Other(toBytes, 1, "bytes");
        }

        double steps = instrument is Histogram<double> or Histogram<float> or Histogram<decimal> ? FractionScale : 1;
        return Other(steps, steps, NameOf(unit));

        MeterUnit Other(double factor, double ratio, string name) =>
            new(factor, new() { Help = help, Unit = new() { Name = name, Ratio = Math.Clamp(ratio, 1e-30, 1e30) } });
    }

    /// <summary>Returns the display name of a unit, without annotations such as <c>{request}</c>; empty for the 1 of a ratio.</summary>
    private static string NameOf(string unit)
    {
        for (int start = unit.AsSpan().IndexOf('{'); start >= 0; start = unit.AsSpan().IndexOf('{'))
        {
            int length = unit.AsSpan(start).IndexOf('}') + 1;
            unit = unit.Remove(start, length == 0 ? unit.Length - start : length);
        }

        return unit switch
        {
            "1" => "",
            "%" => "percent",
            _ => unit,
        };
    }
}
